#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs clang-tidy with the checks of .clang-tidy over the sources (not the tests). All of them would take too long for
# one run of continuous integration, so this checks PART of PARTS, by default another part every second day.
#
# Usage: tests/ci/tidy.sh [PART PARTS]      PART counts from 0
set -euo pipefail
# shellcheck source=tests/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"
parts=${2:-3}
part=${1:-$((10#$(date +%j) / 2 % parts))}
prepare clang-19 clang-tidy-19 "${packages[@]}"
configure_in "$root/build-tidy" CC=clang-19 CXX=clang++-19
make -C "$root/build-tidy" policy/core/registry_table.h sim/workload/csv/shipped_maps.h
cd "$root/build-tidy"
git -C "$root" ls-files '*.cc' | grep -v '^tests/' | awk -v part="$part" -v parts="$parts" 'NR % parts == part' > sources
printf 'part %s of %s: %s of the sources\n' "$part" "$parts" "$(wc -l < sources)"
# shellcheck disable=SC2016 # "$@" is for the inner shell
sed 's,^,../,' sources | xargs -n 4 -P "$jobs" bash -c \
  'exec clang-tidy-19 --quiet --warnings-as-errors="*" "$@" -- -std=c++20 -DHAVE_CONFIG_H -DDFRS_HELPERS=\"\" -I. -I..' -
