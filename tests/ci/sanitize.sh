#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The unit tests under sanitizers, each kind in a build of its own. The tally of tests/check counts what ran there.
#
# Usage: tests/ci/sanitize.sh address|thread
#   address  AddressSanitizer and UndefinedBehaviorSanitizer: all unit tests and fuzzers, in build-asan/
#   thread   ThreadSanitizer: tests that start threads, in build-tsan/
set -euo pipefail
# shellcheck source=tests/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"
case ${1:-} in
  address) folder=$build_asan goal=units configure=configure_asan ;;
  thread) folder=$build_tsan goal=threads configure=configure_tsan ;;
  *) die "which sanitizer: address or thread, not '${1:-nothing}'" ;;
esac
prepare "${packages[@]}" "${test_packages[@]}"
find_traces
rm -f "$folder/results-status"
"$configure"
build_in "$folder" "build-$goal"
make_check "$folder" "check-$goal"
