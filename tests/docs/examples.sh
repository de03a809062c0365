#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The examples work: the host decides as its comments say, and the settings are good. (tests/page_tests has the policy.)
set -euo pipefail
source=${srcdir:-.}
expected='job 0, node 0: yield 0.50, progress 15.0 s
job 1, node 0: yield 0.50, progress 5.0 s'
printed=$(examples/host)
[[ $printed == "$expected" ]] || { printf 'FAIL: examples/host prints\n%s\n' "$printed"; exit 1; }
found=0
for file in "$source"/examples/dfrs.conf.* "$source"/etc/dfrs.conf.example; do
  ./dfrs-check-config --quiet "$file" || { echo "FAIL: $file"; exit 1; }
  found=$((found + 1))
done
(( found >= 4 )) || { echo "FAIL: only $found files of settings"; exit 1; }
# What Open OnDemand reads of a cluster file, and nothing that it does not know.
if python3 -c 'import yaml' 2> /dev/null; then
  python3 - "$source/examples/ondemand-cluster.yml" << 'END' || { echo 'FAIL: examples/ondemand-cluster.yml'; exit 1; }
import sys
import yaml
known = {"metadata": {"title", "url", "hidden"}, "login": {"host"}, "acls": None, "custom": None,
         "job": {"adapter", "cluster", "bin", "conf", "submit_host", "bin_overrides", "copy_environment"},
         "batch_connect": {"basic", "vnc"}}
with open(sys.argv[1], encoding="utf-8") as file:
    cluster = yaml.safe_load(file)
assert list(cluster) == ["v2"], list(cluster)
for section, keys in cluster["v2"].items():
    assert known[section] is None or set(keys) <= known[section], (section, keys)
assert cluster["v2"]["job"]["adapter"] == "slurm"
for session in cluster["v2"]["batch_connect"].values():
    assert session["script_wrapper"].count("%s") == 1, session
END
else
  echo 'examples/ondemand-cluster.yml was not checked: python3-yaml is not installed'
fi
echo ok
