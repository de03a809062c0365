#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ./configure on Slurm's source and headers: it must stop early, and say what is wrong and what to do, when
# they do not match. Needs no Slurm: both are fakes.
set -euo pipefail

srcdir=$(cd "${srcdir:-.}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$work/source/src/slurmctld" "$work/headers/slurm" "$work/other/slurm" "$work/empty"
: > "$work/source/src/slurmctld/slurmctld.h"

# source_of MAJOR MINOR MICRO, headers_of NUMBER: the versions of the fake Slurm.
source_of() { printf '  Meta:\t\t1\n  Name:\t\tslurm\n  Major:\t%s\n  Minor:\t%s\n  Micro:\t%s\n' "$@" > "$work/source/META"; }
headers_of() { printf '#define SLURM_VERSION_NUMBER %s\n' "$1" > "$work/headers/slurm/slurm_version.h"; }

source_of 24 05 3
headers_of 0x180503                                                                       # 24.05.3
printf '#define SLURM_VERSION_NUMBER 0x16050b\n' > "$work/other/slurm/slurm_version.h"    # 22.05.11

failures=0
fail() { printf 'FAIL: %s\n' "$1"; failures=1; }

# run OPTION...: its output goes to $work/output, its exit status to $status
run() {
  mkdir -p "$work/build"
  status=0
  (cd "$work/build" && "$srcdir/configure" --cache-file="$work/cache" "$@") > "$work/output" 2>&1 || status=$?
}

# expect NAME STATUS TEXT...: the exit status (0, or 1 for any error), and texts that the output must contain
expect() {
  local name=$1 wanted=$2 text
  shift 2
  if (( status != 0 )); then status=1; fi
  if [[ $status != "$wanted" ]]; then fail "$name: exit $status, expected $wanted"; fi
  for text in "$@"; do
    grep -qF -- "$text" "$work/output" || fail "$name: does not say '$text'"
  done
  if (( failures )); then tail -n 15 "$work/output"; exit 1; fi
  printf 'ok: %s\n' "$name"
}

run --with-slurm-src="$work/source" --with-slurm-headers="$work/other"
expect "other version" 1 "headers 22.05.11  ($work/other/slurm/slurm_version.h)" "source  24.05.3  ($work/source/META)" \
  "Give the source of Slurm 22.05.11" "plugin/fetch_slurm_source.sh"
run --with-slurm-src="$work/empty"
expect "no source" 1 "--with-slurm-src=$work/empty is not an unpacked Slurm source"
run --with-slurm-src="$work/source" --with-slurm-headers="$work/empty"
expect "no headers" 1 "$work/empty/slurm/slurm_version.h is missing" "apt-get install libslurm-dev"
run --with-slurm-src
expect "no path" 1 "--with-slurm-src needs a path"
run --with-slurm-headers="$work/headers"
expect "headers alone" 1 "only together with --with-slurm-src=PATH"
printf '#define SLURM_VERSION_NUMBER soon\n' > "$work/other/slurm/slurm_version.h"
run --with-slurm-src="$work/source" --with-slurm-headers="$work/other"
expect "headers that make no sense" 1 "has no SLURM_VERSION_NUMBER"
run --with-slurm-src="$work/source" --with-slurm-headers="$work/headers"
expect "a version that nothing is known of" 1 "this is 24.05.3" "22.05, 23.11, 24.11, 25.05, 25.11 and 26.05" \
  "docs/reference/slurm.md"
: > "$work/slurm.tar.xz"
run --with-slurm-src="$work/slurm.tar.xz" --with-slurm-headers="$work/headers"
expect "a file that is no tarball" 1 "--with-slurm-src=$work/slurm.tar.xz cannot be unpacked"
source_of 22 05 11
headers_of 0x16050b
run CXXFLAGS=-O0 --with-slurm-src="$work/source" --with-slurm-headers="$work/headers"
expect "same version" 0 "Slurm plugin: for Slurm 22.05.11"
source_of 26 05 3
headers_of 0x1a0503
tar -cJf "$work/slurm.tar.xz" -C "$work" source
run CXXFLAGS=-O0 --with-slurm-src="$work/slurm.tar.xz" --with-slurm-headers="$work/headers"
expect "a tarball" 0 "Slurm plugin: for Slurm 26.05.3"
