#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Other versions of Slurm: the plugins compile for each without a warning; for one whose build is kept on this machine
# (tests/slurm/lib.sh), its daemons export all that they import, and the smoke tests run, one version a day.
# Needs build/. Exit: 77 if no tarball is here.
set -euo pipefail
# shellcheck source=tests/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"
# shellcheck source=tests/slurm/lib.sh
source "$root/tests/slurm/lib.sh"
prepare "${packages[@]}" "${test_packages[@]}" libmunge-dev xz-utils

results=$out/ci/slurm.tsv failed=0 seen=0
: > "$results"
built=()
for version in "${upstream_versions[@]}"; do
  tarball=$(slurm_tarball "$version") || { printf 'left out: Slurm %s (no tarball)\n' "$version"; continue; }
  seen=1
  headers=$(mktemp -d)
  slurm_headers "$tarball" "$headers"
  if slurm_plugins "$version" "$tarball" "$headers/include"; then
    printf 'PASS\tci: plugins compile for Slurm %s\n' "$version" >> "$results"
  else
    printf 'FAIL\tci: plugins compile for Slurm %s\t%s\n' "$version" "$out/slurm/$version/make.log" >> "$results"
    failed=1
  fi
  rm -rf "$headers"
  slurm_is_built "$version" || { printf 'left out: symbols and smoke tests on Slurm %s (not built here)\n' "$version"; continue; }
  prefix=$(slurm_prefix "$version")
  if slurm_symbols "$version" "$prefix/sbin/slurmctld" "$prefix/lib/slurm/libslurmfull.so"; then
    printf 'PASS\tci: symbols that the plugins import from Slurm %s\n' "$version" >> "$results"
    built+=("$version")
  else
    printf 'FAIL\tci: symbols that the plugins import from Slurm %s\n' "$version" >> "$results"
    failed=1
  fi
done
(( seen )) || { echo "SKIP: no tarball of Slurm is here; SLURM_TARBALLS names a folder with some"; exit 77; }

if (( ${#built[@]} > 0 )); then
  version=${built[$((10#$(date +%j) % ${#built[@]}))]}
  need_daemons "${cluster_packages[@]}"
  say "smoke tests on Slurm $version"
  DFRS_SLURM_PREFIX=$(slurm_prefix "$version") DFRS_PLUGINS_DIR=$out/slurm/$version \
    smoke_tests "$out/ci/smoke.tsv" "$out/ci/live-$version" || failed=1
  sed "s/\tlive: /\tslurm $version: /" "$out/ci/smoke.tsv" >> "$results"
  for other in "${built[@]}"; do [[ $other == "$version" ]] || printf 'left out today: smoke tests on Slurm %s\n' "$other"; done
fi
exit "$failed"
