#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Compares the documentation with the programs and the sources. Usage: reference.pl [--update] SOURCE_FOLDER BUILD_FOLDER
# With --update it renews what pages take from --help.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Find;

my $update = @ARGV && $ARGV[0] eq '--update' && shift;
die "usage: reference.pl [--update] SOURCE_FOLDER BUILD_FOLDER\n" unless @ARGV == 2;
my ($source, $build) = map { abs_path($_) } @ARGV;
my $failures = 0;
sub fail { print "FAIL: @_\n"; $failures++ }

sub slurp {
  my ($path) = @_;
  open(my $file, '<', $path) or die "$path: $!\n";
  local $/;
  return scalar <$file>;
}
sub spew {
  my ($path, $text) = @_;
  open(my $file, '>', $path) or die "$path: $!\n";
  print $file $text;
  close($file) or die "$path: $!\n";
}
# Standard output of a program of the build folder, or of from_help.pl with it.
sub output {
  open(my $pipe, '-|', @_) or die "$_[0]: $!\n";
  local $/;
  my $text = <$pipe> // '';
  close($pipe) or die "@_ failed\n";
  return $text;
}
sub help { my ($program, @words) = @_; return output("$build/$program", @words, '--help') }
sub from_help { my ($kind, $program) = @_; return output($^X, "$source/docs/from_help.pl", $kind, "$build/$program") }

# Both lists hold the same words.
sub same {
  my ($what, $left, $in_left, $right, $in_right) = @_;
  fail("$what: nothing found in $left") unless @$in_left;
  my %left = map { $_ => 1 } @$in_left;
  my %right = map { $_ => 1 } @$in_right;
  fail("$what: '$_' is in $left, not in $right") for grep { !$right{$_} } sort keys %left;
  fail("$what: '$_' is in $right, not in $left") for grep { !$left{$_} } sort keys %right;
}

sub options_in_pages {
  my $page = "$source/docs/reference/dfrs-sim.md";
  my $wanted = from_help('markdown', 'dfrs-sim');
  if ($update) { spew($page, $wanted) }
  elsif (slurp($page) ne $wanted) { fail('docs/reference/dfrs-sim.md is not what --help says: run `make update-reference`') }
  for my $program (qw(dfrs-check-config dfrs-run dfrsctl dfrsd)) {
    $page = "$source/docs/reference/$program.md";
    my $text = slurp($page);
    my $table = from_help('options', $program);
    fail("$program --help has no options") if $table eq '';
    (my $new = $text) =~ s/(<!-- begin \Q$program\E --help -->\n).*?(<!-- end -->)/$1$table$2/s
      or fail("docs/reference/$program.md has no block '<!-- begin $program --help -->'");
    if ($update) { spew($page, $new) }
    elsif ($new ne $text) { fail("docs/reference/$program.md is not what --help says: run `make update-reference`") }
  }
}

sub commands_have_pages {
  my @commands = help('dfrs-sim') =~ /^Subcommands:\n((?:  .*\n)+)/m ? $1 =~ /^  ([a-z]+)/gm : ();
  my @pages = slurp("$source/docs/local.mk") =~ m{man/dfrs-sim-([a-z]+)\.1}g;
  same('manual pages', 'dfrs-sim --help', \@commands, 'docs/local.mk', \@pages);
  my $page = slurp("$source/docs/reference/dfrsctl.md");
  for my $command (help('dfrsctl') =~ /^Subcommands:\n((?:  .*\n)+)/m ? $1 =~ /^  ([a-z]+)/gm : ()) {
    fail("docs/reference/dfrsctl.md does not show `dfrsctl $command`") unless $page =~ /^    dfrsctl $command\b/m;
  }
}

# The table of settings, the example and the parser have the same keys; defaults are those that the parser prints.
sub settings {
  my %page = slurp("$source/docs/reference/dfrs.conf.md") =~ /^\| `([A-Z]\w*)` \| ([^|]*?) \|/gm;
  my @known = help('dfrs-check-config') =~ /--list-settings/
    ? output("$build/dfrs-check-config", '--list-settings') =~ /^([A-Z]\w*)/gm
    : (slurp("$source/shim/conf/read_config.cc") =~ /^\s*\{"([A-Z]\w*)", &/gm, 'PartitionName');
  push @known, 'PartitionName' unless grep { $_ eq 'PartitionName' } @known;
  same('settings', 'the program', \@known, 'docs/reference/dfrs.conf.md', [keys %page]);
  my @example = slurp("$source/etc/dfrs.conf.example") =~ /^#?([A-Z]\w*)=/gm;
  same('settings', 'the program', \@known, 'etc/dfrs.conf.example', \@example);
  my $file = "reference-test.$$.conf";
  spew($file, "Partitions=a\n");
  my %default = output("$build/dfrs-check-config", $file) =~ /^([A-Z]\w*)=(.*)$/gm;
  unlink $file;
  fail('dfrs-check-config prints no defaults') unless keys %default > 10;
  for my $key (sort keys %default) {
    my $shown = ($page{$key} // '') =~ s/`//gr;
    next if $key eq 'Partitions' ? $shown eq 'required' : $shown eq $default{$key};
    fail("docs/reference/dfrs.conf.md: the default of $key is '$default{$key}', not '$shown'");
  }
}

sub exit_codes {
  my %page = map { /^(\S+)\n/ ? ("$1" => [/^\| (\d+) \|/gm]) : () } split /^## /m, slurp("$source/docs/reference/exit-codes.md");
  for my $program (qw(dfrs-sim dfrs-check-config dfrs-run dfrsd dfrsctl)) {
    my ($text) = help($program) =~ /^Exit codes:(.*?)(?:\n\n|\z)/ms;
    my @codes = ($text // '') =~ /(?:^|[\s,])(\d+)\s+[a-zA-Z]/g;
    same("exit codes of $program", '--help', \@codes, 'docs/reference/exit-codes.md', $page{$program} // []);
  }
  my @codes = map { slurp("$source/$_") =~ /\bkExit\w+ = (\d+)/g } 'base/exit_code.h', 'sim/errors.h';
  same('exit codes of dfrs-sim', 'base and sim', \@codes, 'docs/reference/exit-codes.md', $page{'dfrs-sim'} // []);
}

sub metrics {
  my @names;
  find(sub { push @names, slurp($_) =~ /"(dfrs\w*_\w+)", "(?:gauge|counter|histogram|summary)"/g if /\.cc$/ }, "$source/shim/");
  my @page = slurp("$source/docs/reference/metrics.md") =~ /`(dfrs[a-z]*_\w+)(?:\{[^}]*\})?`/g;
  same('metrics', 'shim/', \@names, 'docs/reference/metrics.md', \@page);
}

sub algorithm_sets {
  my @sets = output("$build/dfrs-sim", 'list') =~ /\[-a (\w+)\]/g;
  my ($table) = slurp("$source/docs/reference/algorithms.md") =~ /^## Sets\n(.*)/ms;
  same('sets of algorithms', 'dfrs-sim list', \@sets, 'docs/reference/algorithms.md', [($table // '') =~ /^\| `(\w+)` \|/gm]);
}

# The anchor that a heading gets.
sub anchor {
  my ($heading) = @_;
  $heading =~ s/`//g;
  $heading =~ s/\[([^\]]*)\]\([^)]*\)/$1/g;
  return lc($heading) =~ s/[^\w\- ]//gr =~ s/ /-/gr;
}
sub pages {
  my @pages = glob("$source/*.md");
  find({ wanted => sub { push @pages, $File::Find::name if /\.md$/ }, follow => 1 }, "$source/docs", "$source/examples");
  return @pages;
}
sub links {
  my $count = 0;
  for my $page (pages()) {
    my $text = slurp($page) =~ s/^```.*?^```//gmsr;
    (my $folder = $page) =~ s{/[^/]*$}{};
    (my $shown = $page) =~ s{^\Q$source\E/}{};
    while ($text =~ /\]\(([^)\s]+)\)/g) {
      my $link = $1;
      next if $link =~ /^[a-z]+:/;
      $count++;
      my ($path, $anchor) = $link =~ /^([^#]*)(?:#(.*))?$/;
      my $target = $path eq '' ? $page : "$folder/$path";
      if (!-e $target) { fail("$shown: the link $link leads nowhere") }
      elsif (defined $anchor && $target =~ /\.md$/) {
        my %anchors = map { anchor($_) => 1 } slurp($target) =~ /^#+ (.*)$/gm;
        fail("$shown: $path has no heading for #$anchor") unless $anchors{$anchor};
      }
    }
  }
  fail('no links found') if $count < 50;
}

# Pages that name sources name those that exist; so do sources that name pages.
sub paths {
  my $count = 0;
  for my $page (pages()) {
    (my $shown = $page) =~ s{^\Q$source\E/}{};
    next if $shown eq 'CHANGELOG.md' || $shown eq 'docs/reference/cluster.md';  # former paths; etc/ of a cluster
    my $text = slurp($page);
    my @paths = $text =~ m{`((?:base|policy|record|timeline|sim|studies|shim|plugin|tests|examples|etc)/[\w./*-]*\w)[*]?`}g;
    push @paths, map { "policy/triage/$_" } $text =~ m{`(\w+\.(?:cc|h))`}g if $shown eq 'docs/reference/triage.md';
    for my $path (grep { !/NAME/ } @paths) {
      $count++;
      my @found = glob("$source/$path*");  # in a scalar, glob would go on with what an earlier path has left
      fail("$shown: there is no $path") unless @found;
    }
  }
  fail('no paths found') if $count < 50;
  my @folders = grep { -d } map { "$source/$_" } qw(base etc m4 plugin policy record shim sim studies tests);
  find({ follow => 1, wanted => sub {
    return unless -f $_ && /\.(ac|am|c|cc|conf|default|example|h|in|m4|mk|py|sh)$/;
    (my $shown = $File::Find::name) =~ s{^\Q$source\E/}{};
    return if $shown eq 'tests/docs/reference_selftest.sh';
    my $text = slurp($_);
    fail("$shown names docs/$_, which is not there") for grep { !-e "$source/docs/$_" } $text =~ m{\bdocs/([\w/.-]+\.md)\b}g;
  } }, @folders);
}

# The files that name the version agree on it, and on its date.
sub versions {
  my %month = (Jan => 1, Feb => 2, Mar => 3, Apr => 4, May => 5, Jun => 6, Jul => 7, Aug => 8, Sep => 9, Oct => 10, Nov => 11, Dec => 12);
  my $day = sub { defined $_[2] ? sprintf('%04d-%02d-%02d', $_[2], $month{$_[1]} // 0, $_[0]) : '' };
  my ($version) = slurp("$source/configure.ac") =~ /^AC_INIT\(\[dfrs\],\[([\d.]+)\]/m;
  return fail('configure.ac names no version') unless defined $version;
  my ($changes, $date) = slurp("$source/CHANGELOG.md") =~ /^## \[([\d.]+)\] - (\d{4}-\d\d-\d\d)$/m;
  return fail('CHANGELOG.md does not begin with a version and its date') unless defined $date;
  my $citation = slurp("$source/CITATION.cff");
  my ($debian) = slurp("$source/debian/changelog") =~ /\Adfrs \(([\d.]+)-/;
  my @debian_day = slurp("$source/debian/changelog") =~ /^ -- .*?, (\d+) (\w+) (\d+) /m;
  my $spec = slurp("$source/packaging/dfrs.spec");
  my @spec_day = $spec =~ /^%changelog\n\* \w+ (\w+) (\d+) (\d+) .* - \Q$version\E-/m;
  my %versions = ('CHANGELOG.md' => $changes, 'debian/changelog' => $debian, 'CITATION.cff' => $citation =~ /^version: (\S+)$/m,
    'packaging/dfrs.spec' => $spec =~ /^Version:\s+(\S+)$/m);
  my %days = ('debian/changelog' => $day->(@debian_day), 'CITATION.cff' => $citation =~ /^date-released: (\S+)$/m,
    'packaging/dfrs.spec' => $day->(@spec_day[1, 0, 2]));
  for (sort keys %versions) {
    fail("configure.ac has version $version, $_ " . ($versions{$_} // 'none')) if ($versions{$_} // '') ne $version;
  }
  for (sort keys %days) { fail("CHANGELOG.md has $date, $_ " . ($days{$_} // 'none')) if ($days{$_} // '') ne $date }
}

# Guides and README stay short, as `wc -w` counts.
sub lengths {
  my %most = ('README.md' => 450, 'docs/administrator-guide.md' => 2000, 'docs/researcher-guide.md' => 2000,
    'docs/contributor-guide.md' => 2000);
  for my $page (sort keys %most) {
    my $words = () = slurp("$source/$page") =~ /\S+/g;
    fail("$page has $words words, more than $most{$page}") if $words > $most{$page};
  }
}

options_in_pages();
exit 0 if $update;
commands_have_pages();
settings();
exit_codes();
metrics();
algorithm_sets();
links();
paths();
versions();
lengths();
print $failures == 0 ? "the documentation agrees with the programs\n" : "$failures failures\n";
exit($failures != 0);
