#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Doxygen reads the public headers without a warning.
set -euo pipefail
command -v doxygen > /dev/null || { echo 'SKIP: doxygen is missing'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "${srcdir:-.}"
{ cat Doxyfile; printf 'OUTPUT_DIRECTORY = %s\nWARN_LOGFILE = %s/warnings\n' "$work" "$work"; } > "$work/Doxyfile"
doxygen "$work/Doxyfile" > "$work/log" 2>&1 || { tail -n 20 "$work/log"; echo 'FAIL: doxygen'; exit 1; }
if [[ -s $work/warnings ]]; then cat "$work/warnings"; exit 1; fi
pages=("$work"/html/*.html)
(( ${#pages[@]} > 20 )) || { echo "FAIL: only ${#pages[@]} pages"; exit 1; }
echo ok
