#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The examples work: the host decides as its comments say, and the settings are good. (tests/page_tests has the policy.)
set -euo pipefail
source=${srcdir:-.}
expected='job 0 runs on node 0: yield 0.50, virtual time at 20 s: 15.0 s
job 1 runs on node 0: yield 0.50, virtual time at 20 s: 5.0 s'
printed=$(examples/host)
[[ $printed == "$expected" ]] || { printf 'FAIL: examples/host prints\n%s\n' "$printed"; exit 1; }
found=0
for file in "$source"/examples/dfrs.conf.* "$source"/etc/dfrs.conf.example; do
  ./dfrs-check-config --quiet "$file" || { echo "FAIL: $file"; exit 1; }
  found=$((found + 1))
done
(( found >= 4 )) || { echo "FAIL: only $found files of settings"; exit 1; }
echo ok
