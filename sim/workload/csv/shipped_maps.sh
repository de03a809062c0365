#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Writes the table that sim/workload/csv/shipped.cc includes: name and text of each mapping file, sorted by name.
# Usage: shipped_maps.sh SOURCE_FOLDER FILE...      FILE: relative to the source folder
set -eu
source=$1
shift
for file in "$@"; do
  name=${file##*/}
  printf '{"%s", R"map(' "${name%.map}"
  cat "$source/$file"
  printf ')map"},\n'
done
