#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Turns what a program prints for --help into documentation, so that both say the same.
# Usage: from_help.pl markdown PROGRAM             the reference page of a program with subcommands
#        from_help.pl options  PROGRAM [COMMAND]   a table of its options, in Markdown
#        from_help.pl man      PROGRAM [COMMAND]   a manual page, in roff
#        from_help.pl bash     PROGRAM             completions for bash
#        from_help.pl zsh      PROGRAM             completions for zsh
# PROGRAM is the path of the built program.
use strict;
use warnings;

my ($kind, $program, @command) = @ARGV;
die "usage: from_help.pl markdown|options|man|bash|zsh PROGRAM [COMMAND]\n" unless defined $program;
(my $name = $program) =~ s{.*/}{};

# parse(COMMAND...): about, usage, groups ([title, [[spec, meaning], ...]], ...), footer
sub parse {
  my @words = @_;
  open(my $pipe, '-|', $program, @words, '--help') or die "$program: $!\n";
  my @lines = <$pipe>;
  close($pipe) or die "$program @words --help failed\n";
  chomp @lines;
  my %help = (about => '', usage => '', groups => [], footer => []);
  my @about;
  push @about, shift @lines while @lines && $lines[0] !~ /^Usage:/;
  $help{about} = join ' ', grep { length } @about;
  ($help{usage}) = shift(@lines) =~ /^Usage: (.*)/ or die "$name @words --help: no line 'Usage:'\n";
  for my $at (0 .. $#lines) {
    next if $lines[$at] eq '';
    my $next = $lines[$at + 1] // '';
    if ($lines[$at] =~ /^\S.*:$/ && ($next =~ /^  -/ || $lines[$at] =~ /^(Positionals|Subcommands):$/)) {
      push @{$help{groups}}, [$lines[$at] =~ s/:$//r, []];
    } elsif ($lines[$at] =~ /^  \S/ && @{$help{groups}}) {
      push @{$help{groups}[-1][1]}, item($lines[$at]);
    } elsif ($lines[$at] =~ /^ {12,}(\S.*)/ && @{$help{groups}}) {
      my $last = $help{groups}[-1][1][-1];
      $last->[1] .= ($last->[1] eq '' ? '' : ' ') . $1;
    } else {
      $help{footer} = [@lines[$at .. $#lines]];
      last;
    }
  }
  return \%help;
}

# A line of a group: the option as it is written, and what it means, which may begin on the next line.
sub item {
  my ($spec, $meaning) = $_[0] =~ /^  (\S.*?)(?:\s{2,}(\S.*))?$/;
  return [$spec, $meaning // ''];
}

sub names { return $_[0] =~ /^-/ ? grep { /^-/ } split /,/, ($_[0] =~ /^(\S+)/)[0] =~ s/\{[^}]*\}//gr : () }
sub long { return (grep { /^--/ } names($_[0]))[0] }
# The words that an option takes: --format TEXT:{text,csv}
sub values_of { return $_[0] =~ /:\{([^}]*)\}/ ? split(/,/, $1) : () }
sub takes_value { return $_[0] =~ /^\S+ (?!Excludes|Needs|REQUIRED)\S/ }
sub subcommands {
  my ($help) = @_;
  return map { $_->[0] eq 'Subcommands' ? map { $_->[0] } @{$_->[1]} : () } @{$help->{groups}};
}
sub groups_with_options { return grep { $_->[0] !~ /^(Subcommands)$/ } @{$_[0]{groups}} }

# How an option reads in a table: without what the option parser says of types.
sub plain_spec {
  my ($spec) = @_;
  $spec =~ s/ (Excludes|Needs): .*//;
  my $required = $spec =~ s/ REQUIRED//;
  $spec =~ s/\{false\}//;
  my $default = $spec =~ s/=(\[?[^\s\[\]]*\]?|.*)(?= \.\.\.|$)// ? $1 : undef;
  my $many = $spec =~ s/ \.\.\.$//;
  my $range = '';
  if ($spec =~ s/:\{([^}]*)\}//) { $range = join ', ', split /,/, $1 }
  elsif ($spec =~ s/:(?:FLOAT|INT|UINT|NUMBER|INTEGER) (?:in|from) (\[[^\]]*\]|.*)$//) { $range = $1 =~ s/^\[(.*) - (.*)\]$/$1 to $2/r }
  elsif ($spec =~ s/:NUMBER (from .*)$//) { $range = $1 }
  $spec =~ s/\b(UINT|INT)\b/N/;
  $spec =~ s/\bFLOAT\b/X/;
  $spec =~ s/ TEXT$/ WORD/ if $spec =~ /^-/;
  $spec =~ s/ TEXT$//;
  $spec .= '...' if $many;
  return ($spec, $range, $default, $required);
}

sub cell { return $_[0] =~ s/\|/\\|/gr =~ s/([*<>])/\\$1/gr }
sub bare { return $_[0] =~ s/\|/\\|/gr }
sub row {
  my ($item) = @_;
  my ($spec, $range, $default, $required) = plain_spec($item->[0]);
  $default =~ s/^\[(.*)\]$/$1/ if defined $default;
  my @notes = ($required ? 'required' : (), $range eq '' ? () : $range, defined $default && $default ne '' ? "default: $default" : ());
  # An option without a help text, such as an old spelling, has no name here.
  push @notes, "not with " . ($1 =~ s/ /, /gr) if $item->[0] =~ /Excludes: (\S.*?)(?: Needs:|$)/;
  push @notes, 'with ' . $1 if $item->[0] =~ /Needs: (.*?)(?: Excludes:|$)/;
  return sprintf "| `%s` | %s |\n", bare($spec =~ s/,/, /gr), cell($item->[1] . (@notes ? ' (' . join('; ', @notes) . ')' : ''));
}
sub table {
  my @items = grep { $_->[0] !~ /^-h,--help/ && $_->[0] ne '--version' } @_;
  return '' unless @items;
  return "| option | meaning |\n|---|---------|\n" . join('', map { row($_) } @items) . "\n";
}
sub code { return "```\n" . join("\n", @_) . "\n```\n\n" }
sub trimmed {
  my @lines = @_;
  shift @lines while @lines && $lines[0] eq '';
  pop @lines while @lines && $lines[-1] eq '';
  return @lines;
}

sub markdown {
  my $top = parse();
  my @shared = trimmed(@{$top->{footer}});
  print "# $name\n\n<!-- Made by docs/from_help.pl from $name --help. `make update-reference` renews it. -->\n\n$top->{about}\n\n";
  print "`$name COMMAND --help` and `man $name-COMMAND` show the same.\n\n";
  print "| command | purpose |\n|---|---|\n";
  print "| [$_->[0]](#$name-$_->[0]) | ", cell($_->[1]), " |\n" for map { $_->[0] eq 'Subcommands' ? @{$_->[1]} : () } @{$top->{groups}};
  print "\n", code(@shared);
  my %common;  # groups of options that several commands have: title -> spec -> [item, commands]
  my %order;
  my @pages = map { my $c = $_; my $help = parse($c); ([$c, $help], map { ["$c $_", parse($c, $_)] } subcommands($help)) } subcommands($top);
  my %uses;
  for my $page (@pages) { $uses{$_->[0]}++ for groups_with_options($page->[1]) }
  my $is_common = sub { $_[0] =~ /^(Workload|Simulation)$/ && $uses{$_[0]} > 1 };
  for my $page (@pages) {
    my ($command, $help) = @$page;
    next if $command eq 'gang';
    for my $group (grep { $is_common->($_->[0]) } groups_with_options($help)) {
      for my $item (@{$group->[1]}) {
        my $key = long($item->[0]);
        push @{$order{$group->[0]}}, $item unless $common{$group->[0]}{$key}++;
      }
    }
  }
  for my $page (@pages) {
    my ($command, $help) = @$page;
    print "## $name $command\n\n", ucfirst $help->{about}, ".\n\n    $help->{usage}\n\n";
    for my $group (groups_with_options($help)) {
      my $title = $group->[0];
      if ($is_common->($title) && $command ne 'gang') {
        my %here = map { long($_->[0]) => 1 } @{$group->[1]};
        my @without = grep { !$here{$_} } map { long($_->[0]) } @{$order{$title}};
        my $anchor = lc($title) . '-options';
        if (@without > keys %here) {
          print "[$title options](#$anchor): ", join(', ', map { "`$_`" } sort keys %here), ".\n\n";
        } else {
          print "All [\l$title options](#$anchor)", (@without ? ' but ' . join(', ', map { "`$_`" } @without) : ''), ".\n\n";
        }
        next;
      }
      my $rows = table(@{$group->[1]});
      print "$title:\n\n" if $rows ne '' && $title !~ /^(Positionals|Options)$/;
      print $rows;
    }
    my @footer = trimmed(@{$help->{footer}});
    print code(@footer) if @footer && "@footer" ne "@shared";
  }
  for my $title (sort { $b cmp $a } keys %order) { print "## $title options\n\n", table(@{$order{$title}}) }
}

sub roff { return $_[0] =~ s/\\/\\e/gr =~ s/-/\\-/gr =~ s/^([.'])/\\&$1/gmr }
sub man {
  my $title = join '-', $name, @command;
  my $section = $name eq 'dfrsd' ? 8 : 1;
  my $help = parse(@command);
  my $version = `$program --version` =~ s/\s+$//r =~ s/.* //r;
  print ".\\\" Made by docs/from_help.pl from $name --help.\n.TH \U$title\E $section \"\" \"dfrs $version\" \"dfrs\"\n";
  print ".SH NAME\n", roff($title), " \\- ", roff($help->{about}), "\n.SH SYNOPSIS\n.B ", roff($help->{usage}), "\n";
  man_options($help, '.SH');
  for my $inner (@command ? subcommands($help) : ()) {
    my $part = parse(@command, $inner);
    print ".SH \U", roff("@command $inner"), "\n", roff($part->{about}), "\n.PP\n.B ", roff($part->{usage}), "\n";
    man_options($part, '.SS');
  }
  if (!@command && subcommands($help)) {
    print ".SH SEE ALSO\n", join(",\n", map { ".BR " . roff("$name-$_") . " ($section)" } subcommands($help)) =~ s/,\n/,\n/gr, "\n";
  } elsif (@command) {
    print ".SH SEE ALSO\n.BR ", roff($name), " ($section)\n";
  }
}
sub man_options {
  my ($help, $macro) = @_;
  for my $group (@{$help->{groups}}) {
    my $title = $group->[0];
    print "$macro ", $macro eq '.SH' ? uc $title : $title, "\n";
    print ".TP\n.B ", roff($_->[0]), "\n", roff($_->[1]), "\n" for @{$group->[1]};
  }
  my @footer = trimmed(@{$help->{footer}});
  print "$macro ", $macro eq '.SH' ? 'NOTES' : 'Notes', "\n.nf\n", roff(join "\n", @footer), "\n.fi\n" if @footer;
}

# All commands with their options: [[words], help] with () first.
sub commands {
  my $top = parse();
  my @all = ([[], $top]);
  for my $c (subcommands($top)) {
    my $help = parse($c);
    push @all, [[$c], $help], map { [[$c, $_], parse($c, $_)] } subcommands($help);
  }
  return @all;
}
sub options_of { return grep { $_->[0] =~ /^-/ } map { @{$_->[1]} } groups_with_options($_[0]) }

sub bash {
  my $function = '_' . $name =~ s/-/_/gr;
  print "# Completions of $name for bash. Made by docs/from_help.pl.\n$function() {\n",
    "  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command= word options= commands= values=\n";
  my @all = commands();
  if (@all > 1) {
    print "  for word in \"\${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do [[ \$word == [a-z]* ]] || continue\n",
      "    case \"\${command:+\$command }\$word\" in\n";
    print "      '@{$_->[0]}') command='@{$_->[0]}' ;;\n" for grep { @{$_->[0]} } @all;
    print "    esac\n  done\n";
  }
  # Behind the program that it runs, everything is that program's.
  print "  COMPREPLY=()\n  for ((word = 1; word < COMP_CWORD; ++word)); do\n",
    "    [[ \${COMP_WORDS[word]} == -* || \${COMP_WORDS[word-1]} == --* ]] || return 0\n  done\n",
    "  [[ \$prev == --* || \$cur == -* ]] || commands=\$(compgen -c -- \"\$cur\") || commands=\n" if $name eq 'dfrs-run';
  print "  case \$command in\n";
  for my $entry (@all) {
    my ($words, $help) = @$entry;
    my @options = options_of($help);
    print "    '@$words')\n      options='", join(' ', map { names($_->[0]) } @options), "'\n";
    print "      commands='", join(' ', subcommands($help)), "'\n" if subcommands($help);
    my @with = grep { values_of($_->[0]) } @options;
    if (@with) {
      print "      case \$prev in\n";
      print "        ", join('|', names($_->[0])), ") values='", join(' ', values_of($_->[0])), "' ;;\n" for @with;
      print "      esac\n";
    }
    my ($action) = map { $_->[0] eq 'Positionals' ? grep { values_of($_->[0]) } @{$_->[1]} : () } @{$help->{groups}};
    print "      commands='", join(' ', values_of($action->[0])), "'\n" if $action;
    print "      ;;\n";
  }
  print "  esac\n";
  print "  case \$prev in -a|--algorithm) values=\$($name list --names 2> /dev/null) ;; esac\n" if $name eq 'dfrs-sim';
  print "  COMPREPLY=()\n  if [[ -n \$values ]]; then mapfile -t COMPREPLY < <(compgen -W \"\$values\" -- \"\$cur\")\n",
    "  elif [[ \$cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W \"\$options\" -- \"\$cur\")\n",
    "  elif [[ -n \$commands ]]; then mapfile -t COMPREPLY < <(compgen -W \"\$commands\" -- \"\$cur\")\n  fi\n}\n",
    "complete -o bashdefault -o default -F $function $name\n";
}

sub zsh {
  my @all = commands();
  my $quote = sub { $_[0] =~ s/'/'\\''/gr =~ s/([\[\]:])/\\$1/gr };
  my $specs = sub {
    my ($help) = @_;
    my @specs;
    for my $item (options_of($help)) {
      my $action = '';
      if (takes_value($item->[0])) {
        my @values = values_of($item->[0]);
        $action = ':value:' . (@values ? "(@values)" : $name eq 'dfrs-sim' && $item->[0] =~ /^-a,/ ? '($(dfrs-sim list --names))' : '_files');
      }
      push @specs, "'" . $_ . '[' . $quote->($item->[1]) . "]$action'" for names($item->[0]);
    }
    return join " \\\n        ", @specs;
  };
  my $function = '_' . $name =~ s/-/_/gr;
  my $rest = $name eq 'dfrs-run' ? "'(-)1:program:_command_names -e' '*::arguments:_normal'" : "'*:file:_files'";
  print "#compdef $name\n# Completions of $name for zsh. Made by docs/from_help.pl.\n$function() {\n",
    "  local -a found\n  local command= word\n";
  if (@all > 1) {
    print "  for word in \"\${(@)words[2,CURRENT-1]}\"; do\n    case \"\${command:+\$command }\$word\" in\n";
    print "      '@{$_->[0]}') command='@{$_->[0]}' ;;\n" for grep { @{$_->[0]} } @all;
    print "    esac\n  done\n";
  }
  print "  case \$command in\n";
  for my $entry (@all) {
    my ($words, $help) = @$entry;
    print "    '@$words')\n";
    my @items = map { $_->[0] eq 'Subcommands' ? @{$_->[1]} : () } @{$help->{groups}};
    if (@items) {
      print "      found=(", join(' ', map { "'$_->[0]:" . $quote->($_->[1]) . "'" } @items), ")\n";
      print "      [[ \$PREFIX == -* ]] || { _describe command found; return; }\n";
    }
    print "      _arguments ", $specs->($help), " $rest\n      ;;\n";
  }
  print "  esac\n}\n$function \"\$@\"\n";
}

my %make = (markdown => \&markdown, man => \&man, bash => \&bash, zsh => \&zsh,
  options => sub { print table(grep { $_->[0] =~ /^-/ } map { @{$_->[1]} } groups_with_options(parse(@command))) });
($make{$kind} or die "from_help.pl: unknown kind '$kind'\n")->();
