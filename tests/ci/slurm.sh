#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The installed Slurm exports all that the plugins import. Other versions: the plugins compile for each without a warning;
# one of them in turn, another each day, has its symbols compared and runs the smoke tests. Its build is kept
# (tests/slurm/lib.sh); where there is none, it is built if there is time, else one that is built takes its turn.
# Needs build/. Exit: 77 if no tarball is here.
#   DFRS_CI_SECONDS   how long this may take; without it, as long as it needs
set -euo pipefail
# shellcheck source=tests/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"
# shellcheck source=tests/slurm/lib.sh
source "$root/tests/slurm/lib.sh"
prepare "${packages[@]}" "${test_packages[@]}" libmunge-dev xz-utils

results=$out/ci/slurm.tsv failed=0
: > "$results"
build_seconds=1080  # of a version on two cores, and of its smoke tests, with some to spare

# result OUTCOME NAME [LOG]
result() {
  local outcome=$1
  shift
  printf '%s\tci: %s\n' "$outcome" "$(IFS=$'\t'; echo "$*")" >> "$results"
  if [[ $outcome == FAIL ]]; then failed=1; fi
}

if [[ -x /usr/sbin/slurmctld && -f $build/plugin/sched_dfrs.so ]]; then
  if slurm_symbols "$build" ''; then outcome=PASS; else outcome=FAIL; fi
  result "$outcome" "symbols that the plugins import from the installed Slurm"
fi
here=() built=()
for version in "${upstream_versions[@]}"; do
  tarball=$(slurm_tarball "$version") || { printf 'left out: Slurm %s (no tarball)\n' "$version"; continue; }
  here+=("$version")
  headers=$(mktemp -d)
  slurm_headers "$tarball" "$headers"
  if slurm_plugins "$version" "$tarball" "$headers/include"; then
    result PASS "plugins compile for Slurm $version"
  else
    result FAIL "plugins compile for Slurm $version" "$out/slurm/$version/make.log"
  fi
  rm -rf "$headers"
done
(( ${#here[@]} > 0 )) || { echo "SKIP: no tarball of Slurm is here; SLURM_TARBALLS names a folder with some"; exit 77; }

day=$((10#$(date +%j)))
today=${here[$((day % ${#here[@]}))]}
if ! slurm_is_built "$today" && (( ${DFRS_CI_SECONDS:-$build_seconds} - SECONDS >= build_seconds )); then
  need "${slurm_build_packages[@]}"
  slurm_build "$today" || result FAIL "Slurm $today builds" "$(slurm_prefix "$today").log"
fi
for version in "${here[@]}"; do
  if slurm_is_built "$version"; then built+=("$version"); fi
done
if (( ${#built[@]} == 0 )); then
  printf 'left out: symbols and smoke tests on other versions of Slurm (none is built, and there is no time to build one)\n'
  exit "$failed"
fi
slurm_is_built "$today" || today=${built[$((day % ${#built[@]}))]}
for version in "${built[@]}"; do
  if slurm_symbols "$out/slurm/$version" "$(slurm_prefix "$version")"; then outcome=PASS; else outcome=FAIL; fi
  result "$outcome" "symbols that the plugins import from Slurm $version"
done
need_daemons "${cluster_packages[@]}"
say "smoke tests on Slurm $today"
DFRS_SLURM_PREFIX=$(slurm_prefix "$today") DFRS_PLUGINS_DIR=$out/slurm/$today \
  smoke_tests "$out/ci/smoke.tsv" "$out/ci/live-$today" || failed=1
sed "s/\tlive: /\tslurm $today: /" "$out/ci/smoke.tsv" >> "$results"
for version in "${here[@]}"; do [[ $version == "$today" ]] || printf 'left out today: smoke tests on Slurm %s\n' "$version"; done
exit "$failed"
