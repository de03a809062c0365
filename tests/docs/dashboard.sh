#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The Grafana dashboard asks for metrics that the programs have, in panels that Grafana understands; the check finds what
# is wrong with spoilt copies.
set -euo pipefail
command -v python3 > /dev/null || { echo 'SKIP: python3 is missing'; exit 77; }
source=$(cd "${srcdir:-.}" && pwd)
check=$source/tests/docs/check_dashboard.py
python3 "$check" "$source"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/packaging/grafana" "$work/docs/reference"
ln -s "$source/shim" "$work/shim"
cp "$source/docs/reference/metrics.md" "$work/docs/reference/"

# spoilt WHAT SED_PROGRAM: the check fails on the dashboard that the program makes, and says WHAT
spoilt() {
  local said
  sed "$2" "$source/packaging/grafana/dfrs.json" > "$work/packaging/grafana/dfrs.json"
  if said=$(python3 "$check" "$work" 2>&1); then echo "not found: $1"; exit 1; fi
  grep -qF "$1" <<< "$said" || { printf 'not said: %s\nbut: %s\n' "$1" "$said"; exit 1; }
}
spoilt 'no program has dfrs_job_jield' 's/dfrs_job_yield/dfrs_job_jield/g'
spoilt 'dfrs_jobs has no label sate' 's/dfrs_jobs{state=/dfrs_jobs{sate=/'
spoilt "'mean yield' is not on both pages" 's/"mean yield"/"yield"/'
spoilt 'JSONDecodeError' '1s/{//'
spoilt "targets is not there" 's/"targets"/"target"/'
spoilt 'brackets' 's/\[$__rate_interval\]/[$__rate_interval/'
spoilt 'no variable $nodes' 's/\$node\b/$nodes/'
