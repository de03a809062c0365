#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every manual page that was built is whole, and has the options that --help has.
set -euo pipefail
[[ -f man/dfrs-sim.1 ]] || { echo 'SKIP: no manual pages were built'; exit 77; }
failures=0
fail() { echo "FAIL: $1"; failures=$((failures + 1)); }
# has PAGE WORD: the page has this word. "\-" is "-" in roff.
has() { [[ $(sed -e 's/\\-/-/g' -e 's/\\f\[*[A-Z]*\]*//g' "$1") == *"$2"* ]]; }
# options COMMAND...: long options of a program
options() { "$@" --help | grep -oE '^  (-[a-z],)?(--[a-z-]+)(,--[a-z-]+)*' | grep -oE -- '--[a-z-]+' | sort -u; }
check() {
  local page=$1 option
  shift
  [[ -f $page ]] || { fail "$page was not built"; return; }
  grep -q '^\.TH ' "$page" || fail "$page has no title"
  grep -qi '^\.SH name' "$page" || fail "$page has no section NAME"
  for option in $(options "$@"); do
    case $option in --help|--version) continue ;; esac
    has "$page" "$option" || fail "$page does not have $option"
  done
  # One long page, as man shows it: a break would fall into tables.
  if command -v groff > /dev/null &&
    { echo '.pl 100000v'; cat "$page"; } | groff -man -t -ww -Tutf8 2>&1 > /dev/null | grep -vE 'cannot (adjust|break) line'; then fail "$page: see above"; fi
}
check man/dfrs-sim.1 ./dfrs-sim
for command in $(./dfrs-sim --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
  check "man/dfrs-sim-$command.1" ./dfrs-sim "$command"
done
if [[ -f man/dfrsctl.1 ]]; then
  check man/dfrsctl.1 ./dfrsctl
  check man/dfrs-check-config.1 ./dfrs-check-config
  check man/dfrsd.8 ./dfrsd
  check man/dfrs-run.1 ./dfrs-run
  for key in $(printf 'Partitions=a\n' > man-test.conf; ./dfrs-check-config man-test.conf | sed 's/=.*//'; rm -f man-test.conf); do
    has man/dfrs.conf.5 "$key" || fail "man/dfrs.conf.5 does not have $key"
  done
fi
(( failures == 0 )) && echo ok
exit $(( failures != 0 ))
