#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The reference pages agree with the programs and the sources: options, settings, exit codes, metrics, links, paths.
set -euo pipefail
command -v perl > /dev/null || { echo 'SKIP: perl is missing'; exit 77; }
exec perl "${srcdir:-.}/tests/docs/reference.pl" "${srcdir:-.}" .
