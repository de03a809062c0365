#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Writes the table that policy/core/registry.cc includes: one line for each family that the files define.
# Usage: registry_table.sh SOURCE_FOLDER FILE...      FILE: relative to the source folder or the working directory
set -eu
source=$1
shift
for file in "$@"; do
  path=$source/$file
  [ -f "$path" ] || path=$file
  families=$(sed -n 's/^extern const PolicyFamily \([A-Za-z0-9_]*\).*/DFRS_POLICY_FAMILY(\1)/p' "$path")
  if [ -z "$families" ]; then
    echo "$file: expected a line 'extern const PolicyFamily NAME{...};' (see docs/contributor-guide.md)" >&2
    exit 1
  fi
  echo "$families"
done
