#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# All tests that start threads, under ThreadSanitizer, including the simulator's, which tests/check leaves out.
set -euo pipefail
# shellcheck source=tests/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"
prepare "${packages[@]}" "${test_packages[@]}"
configure_tsan
# As in tests/check, each program writes a report: the tally of .ci/run counts what ran in this folder.
mkdir -p "$build_tsan/results"
GTEST_OUTPUT=json:$build_tsan/results/ make -C "$build_tsan" -k -j"$jobs" check-threads
