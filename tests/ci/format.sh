#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# C and C++ are formatted by .clang-format and the version that it names; shell scripts pass shellcheck.
set -euo pipefail
# shellcheck source=tests/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"
need clang-format-19 shellcheck git
cd "$root"
git ls-files -z '*.c' '*.cc' '*.h' | xargs -0 clang-format-19 --dry-run --Werror
git grep -lzE '^#!.*\b(ba)?sh$' | xargs -0 shellcheck --external-sources --severity=warning
