#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# No function or variable may be defined in two object files that are linked together. The linker does not say so for
# static libraries: it takes the first one it finds for all callers.
set -euo pipefail
export LC_ALL=C

nm=${NM:-nm}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Strong definitions only: inline functions and templates are weak (W, V, u) and in as many objects as use them.
strong() {
  "$nm" -A -g --defined-only "$@" | awk '$2 ~ /^[TDBRC]$/ { sub(/:[0-9a-f]*$/, "", $1); print $3, $1 }' | sort
}

# The definitions of a sorted list that are there more than once, a line for each.
twice() {
  cut -d' ' -f1 "$1" | uniq -d > "$1.twice"
  join "$1.twice" "$1"
}

# The test can fail: two objects that both define a function.
for name in one two; do
  printf 'int defined_in_both(void) { return 0; }\nint only_in_%s(void) { return 0; }\n' "$name" > "$work/$name.cc"
  ${CXX:-c++} -c -o "$work/$name.o" "$work/$name.cc"
done
strong "$work/one.o" "$work/two.o" > "$work/sample"
found=$(twice "$work/sample" | wc -l)
(( found == 2 )) || { echo "ERROR: of two objects that define one function each, $found are found"; exit 99; }

# Every library that another program of the project may link beside any other. Those of the node's side and of the
# controller's never meet in one program, but their names are in one namespace all the same.
archives=(libbase.a libpolicy.a libsim.a libstudies.a libdfrs_conf.a libdfrs_record.a libdfrs_control.a libdfrs_gate.a
          libdfrsctl.a libshimnet.a libagent.a libcheckpoint.a libtimeline.a)
for archive in "${archives[@]}"; do
  [[ -f $archive ]] || { echo "ERROR: $archive does not exist; build it first"; exit 99; }
  strong "$archive" > "$work/part"
  [[ -s $work/part ]] || { echo "ERROR: $archive defines nothing"; exit 99; }
done
# A library that is not on the list would never be looked at.
for archive in *.a; do
  [[ " ${archives[*]} " == *" $archive "* ]] || { echo "FAIL: $archive is not on the list of $0"; exit 1; }
done

strong "${archives[@]}" > "$work/strong"
twice "$work/strong" > "$work/report"
while read -r symbol object; do
  echo "FAIL: $(c++filt "$symbol") is defined in more than one object: $object"
done < "$work/report"
echo "$(wc -l < "$work/strong") definitions in ${#archives[@]} libraries," \
  "$(wc -l < "$work/strong.twice") defined more than once"
[[ ! -s $work/report ]]
