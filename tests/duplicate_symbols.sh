#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# No function or variable may be defined in two object files. The linker does not say so for static libraries: it takes
# the first one it finds for all callers.
set -euo pipefail
export LC_ALL=C

nm=${NM:-nm}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for archive in libpolicy.a libsim.a; do
  [[ -f $archive ]] || { echo "ERROR: $archive does not exist; build it first"; exit 99; }
  # Strong definitions only: inline functions and templates are weak (W, V, u) and in as many objects as use them.
  "$nm" -A -g --defined-only "$archive" | awk '$2 ~ /^[TDBRC]$/ { sub(/:[0-9a-f]*$/, "", $1); print $3, $1 }'
done | sort > "$work/strong"
(( $(wc -l < "$work/strong") > 0 )) || { echo "ERROR: the archives define nothing"; exit 99; }

cut -d' ' -f1 "$work/strong" | uniq -d > "$work/twice"
join "$work/twice" "$work/strong" | while read -r symbol object; do
  echo "FAIL: $(c++filt "$symbol") is defined in more than one object: $object"
done
echo "$(wc -l < "$work/strong") definitions, $(wc -l < "$work/twice") defined more than once"
[[ ! -s $work/twice ]]
