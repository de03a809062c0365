#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Counts test cases over several build folders and prints "N passed, N failed, N skipped" as the last line.
#
# Usage: tally.pl STEPS FOLDER...      exit: 0 if at least one case passed and none failed, else 1
#
# STEPS: lines "PASS|FAIL|SKIP<tab>name[<tab>log]", each one case; of the log the part about a failed case is shown, which
# begins and ends as GoogleTest's do. FOLDER: a build folder where `make check` ran with
# GTEST_OUTPUT=json:FOLDER/results/ and its exit status was written to FOLDER/results-status; others are passed over.
# A case is a GoogleTest case, or a test that is no GoogleTest program as a whole. The same case run in several folders
# counts once: failed if it failed anywhere, else passed if it passed anywhere. A program that crashed, ran no case, or
# failed without a failing case (a leak found at exit) is one more failed case.
use strict;
use warnings;

my %result;    # case -> PASS, FAIL or SKIP
my @failures;  # "case (folder)"
my @excerpts;  # of the logs, for people

sub add {
  my ($case, $new, $folder) = @_;
  push @failures, "$case ($folder)" if $new eq 'FAIL';
  my %rank = (SKIP => 0, PASS => 1, FAIL => 2);
  $result{$case} = $new if !exists $result{$case} || $rank{$new} > $rank{ $result{$case} };
}

sub slurp {
  my ($path) = @_;
  open(my $file, '<', $path) or return '';
  local $/;
  return scalar(<$file>) // '';
}

# automake writes one .trs file per test it ran. (No File::Find: a bare machine has only the core of perl when the
# installation of packages fails, and the summary is printed all the same.)
sub trs_files {
  my ($folder) = @_;
  opendir(my $handle, $folder) or return;
  my @paths = map { "$folder/$_" } grep { !/^\./ } sort readdir $handle;
  return map { -d $_ ? trs_files($_) : /\.trs$/ ? $_ : () } @paths;
}

# Cases of a GoogleTest program that lived to write its report: (case, result) pairs.
sub cases_of_json {
  my ($text) = @_;
  require JSON::PP;
  my $report = eval { JSON::PP::decode_json($text) } or return;
  my @cases;
  for my $suite (@{ $report->{testsuites} }) {
    for my $case (@{ $suite->{testsuite} }) {
      next if $case->{status} eq 'NOTRUN';
      my $result = $case->{failures} ? 'FAIL' : $case->{result} eq 'SKIPPED' ? 'SKIP' : 'PASS';
      push @cases, ["$suite->{name}.$case->{name}", $result];
    }
  }
  return \@cases;
}

# Cases of one that did not: what its output shows until it ended. A case that began and never ended failed.
sub cases_of_log {
  my ($text) = @_;
  my %seen;
  while ($text =~ /\[( RUN      |       OK |  FAILED  |  SKIPPED )\] (\S+\.\S+?)(?:,| \(|$)/mg) {
    my ($mark, $case) = ($1, $2);
    $mark =~ s/ //g;
    $seen{$case} = { RUN => 'FAIL', OK => 'PASS', FAILED => 'FAIL', SKIPPED => 'SKIP' }->{$mark};
  }
  return [map { [$_, $seen{$_}] } sort keys %seen];
}

# The part of a GoogleTest program's log about one case, or the end of any log; not endlessly much.
sub excerpt {
  my ($log, $case) = @_;
  if (defined $case && $log =~ /(^\[ RUN      \] \Q$case\E\n.*?(?:^\[  FAILED  \] [^\n]*\n|\z))/ms) { $log = $1 }
  my @lines = split /^/, $log;
  return join('', @lines) if @lines <= 60;
  return join('', @lines[0 .. 39], "[...]\n", @lines[-20 .. -1]) if defined $case;
  return join('', "[...]\n", @lines[-60 .. -1]);
}

sub count_program {
  my ($folder, $name, $outcome) = @_;
  my $label = $folder =~ s{.*/}{}r;
  my $json = "$folder/results/" . ($name =~ s{.*/}{}r) . '.json';
  my $log = slurp("$folder/$name.log");
  my $gtest = -e $json || $log =~ /^\[==========\]/m;
  if (!$gtest) {
    add($name, $outcome eq 'PASS' ? 'PASS' : $outcome eq 'SKIP' ? 'SKIP' : 'FAIL', $label);
    push @excerpts, "--- $folder/$name.log\n" . excerpt($log) if $outcome ne 'PASS' && $outcome ne 'SKIP';
    return;
  }
  my $cases = -e $json ? cases_of_json(slurp($json)) : undef;
  my $complete = defined $cases;
  $cases //= cases_of_log($log);
  for my $case (@$cases) {
    add("$name: $case->[0]", $case->[1], $label);
    push @excerpts, "--- $folder/$name.log\n" . excerpt($log, $case->[0]) if $case->[1] eq 'FAIL';
  }
  if (!$complete) { add("$name: ended before its last case", 'FAIL', $label) }
  elsif (!@$cases) { add("$name: ran no test case", 'FAIL', $label) }
  elsif ($outcome ne 'PASS' && !grep { $_->[1] eq 'FAIL' } @$cases) { add("$name: failed outside its cases", 'FAIL', $label) }
  # What a sanitizer or a signal says comes after the last case.
  push @excerpts, "--- the end of $folder/$name.log\n" . excerpt($log)
    if $outcome ne 'PASS' && !($complete && grep { $_->[1] eq 'FAIL' } @$cases);
}

my ($steps, @folders) = @ARGV;
die "usage: tally.pl STEPS FOLDER...\n" unless defined $steps;
for my $folder (@folders) {
  next unless -e "$folder/results-status";
  my ($before, $programs) = (scalar @failures, 0);
  for my $path (trs_files("$folder/tests")) {
    my ($outcome) = slurp($path) =~ /^:test-result:\s*(\w+)/m;
    my $name = $path =~ s{^\Q$folder\E/}{}r =~ s/\.trs$//r;
    count_program($folder, $name, $outcome // 'ERROR');
    $programs++;
  }
  my $label = $folder =~ s{.*/}{}r;
  add("make check in $label: no test ran", 'FAIL', $label) if !$programs;
  add("make check in $label: failed outside the tests", 'FAIL', $label)
    if slurp("$folder/results-status") != 0 && @failures == $before;
}
for my $line (split /\n/, slurp($steps)) {
  my ($outcome, $name, $log) = split /\t/, $line, 3;
  add($name, $outcome, 'quickstart');
  push @excerpts, "--- $log\n" . excerpt(slurp($log), $name) if $outcome eq 'FAIL' && defined $log;
}

my %count = (PASS => 0, FAIL => 0, SKIP => 0);
$count{$_}++ for values %result;
print "$_\n" for @excerpts;
print "skipped: $_\n" for sort grep { $result{$_} eq 'SKIP' } keys %result;
print "failed: $_\n" for @failures;
print "no test ran\n" if !$count{PASS} && !$count{FAIL};
print "$count{PASS} passed, $count{FAIL} failed, $count{SKIP} skipped\n";
exit($count{PASS} && !$count{FAIL} ? 0 : 1);
