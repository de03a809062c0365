#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Other versions of Slurm. Needs build/. Exit: 77 if no tarball is here.
#   plugins   for all of them: the plugins compile without a warning, and import only what each exports; the installed
#             Slurm, too, exports all that they import
#   smoke     the smoke tests on one of them, another each day. Its build is kept (tests/slurm/lib.sh); where there is none,
#             it is built if there is time, else one that is built takes its turn
# Usage: tests/ci/slurm.sh plugins|smoke
#   DFRS_CI_SECONDS   how long `smoke` may take; without it, as long as it needs
set -euo pipefail
# shellcheck source=tests/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"
# shellcheck source=tests/slurm/lib.sh
source "$root/tests/slurm/lib.sh"
what=${1:-}
[[ $what == plugins || $what == smoke ]] || die "expected plugins or smoke, not '$what'"
prepare "${packages[@]}" "${test_packages[@]}" libmunge-dev xz-utils

results=$out/ci/$what.tsv failed=0
: > "$results"
build_seconds=1080  # of a version on two cores, and of its smoke tests, with some to spare

# result OUTCOME NAME [LOG]
result() {
  local outcome=$1
  shift
  printf '%s\tci: %s\n' "$outcome" "$(IFS=$'\t'; echo "$*")" >> "$results"
  if [[ $outcome == FAIL ]]; then failed=1; fi
}

# outcome_of COMMAND...: PASS or FAIL; what it prints goes to the log
outcome_of() { if "$@" >&2; then echo PASS; else echo FAIL; fi; }

# plugins_compile VERSION: from its tarball, into out/slurm/VERSION/
plugins_compile() {
  local tarball headers status=0
  tarball=$(slurm_tarball "$1")
  headers=$(mktemp -d)
  slurm_headers "$tarball" "$headers"
  slurm_plugins "$1" "$tarball" "$headers/include" || status=1
  rm -rf "$headers"
  return "$status"
}

here=()
for version in "${upstream_versions[@]}"; do
  if slurm_tarball "$version" > /dev/null; then here+=("$version"); else printf 'left out: Slurm %s (no tarball)\n' "$version"; fi
done

if [[ $what == plugins ]]; then
  if [[ -x /usr/sbin/slurmctld && -f $build/plugin/sched_dfrs.so ]]; then
    result "$(outcome_of slurm_symbols "$build" '')" "symbols that the plugins import from the installed Slurm"
  fi
  for version in "${here[@]}"; do
    outcome=$(outcome_of plugins_compile "$version")
    result "$outcome" "plugins compile for Slurm $version" "$out/slurm/$version/make.log"
    [[ $outcome == PASS ]] || continue
    if slurm_is_built "$version"; then
      outcome=$(outcome_of slurm_symbols "$out/slurm/$version" "$(slurm_prefix "$version")")
    else
      outcome=$(outcome_of slurm_exported "$version" "$out/slurm/$version")
    fi
    result "$outcome" "symbols that the plugins import from Slurm $version"
  done
fi
(( ${#here[@]} > 0 )) || { echo "SKIP: no tarball of Slurm is here; SLURM_TARBALLS names a folder with some"; exit 77; }
[[ $what == smoke ]] || exit "$failed"

day=$((10#$(date +%j)))
today=${here[$((day % ${#here[@]}))]}
if ! slurm_is_built "$today" && (( ${DFRS_CI_SECONDS:-$build_seconds} - SECONDS >= build_seconds )); then
  need "${slurm_build_packages[@]}"
  slurm_build "$today" || result FAIL "Slurm $today builds" "$(slurm_prefix "$today").log"
fi
built=()
for version in "${here[@]}"; do
  if slurm_is_built "$version"; then built+=("$version"); fi
done
if (( ${#built[@]} == 0 )); then
  printf 'left out: smoke tests on other versions of Slurm (none is built, and there is no time to build one)\n'
  exit "$failed"
fi
slurm_is_built "$today" || today=${built[$((day % ${#built[@]}))]}
need_daemons "${cluster_packages[@]}"
plugins_compile "$today"
result "$(outcome_of slurm_symbols "$out/slurm/$today" "$(slurm_prefix "$today")")" "symbols of a built Slurm $today"
say "smoke tests on Slurm $today"
DFRS_SLURM_PREFIX=$(slurm_prefix "$today") DFRS_PLUGINS_DIR=$out/slurm/$today \
  smoke_tests "$out/ci/smoke-live.tsv" "$out/ci/live-$today" || failed=1
sed "s/\tlive: /\tslurm $today: /" "$out/ci/smoke-live.tsv" >> "$results"
for version in "${here[@]}"; do [[ $version == "$today" ]] || printf 'left out today: smoke tests on Slurm %s\n' "$version"; done
exit "$failed"
