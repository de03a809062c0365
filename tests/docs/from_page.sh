#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Prints the code that a page of the documentation shows for a file: the block behind the line <!-- FILE -->.
# Usage: from_page.sh PAGE FILE
set -eu
awk -v mark="<!-- $2 -->" '
  $0 == mark { wanted = 1; next }
  wanted && /^```/ { if (inside) { done = 1; exit }; inside = 1; next }
  inside { print }
  END { exit !done }' "$1" || { echo "$1: no complete block of code behind the line <!-- $2 -->" >&2; exit 1; }
