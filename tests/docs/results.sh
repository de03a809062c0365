#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The pages in docs/results show what their data say, and a page that does not is found.
set -euo pipefail
here=${srcdir:-.}/docs/results
python3 "$here/regenerate.py" check
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r "$here"/*.md "$here/regenerate.py" "$here/data" "$copy"
chmod -R u+w "$copy"
sed -i '0,/^| average wait time/s// | changed/' "$copy/dynp.md"
if python3 "$copy/regenerate.py" check > /dev/null; then
  echo 'FAIL: a changed page passed the check'
  exit 1
fi
python3 "$copy/regenerate.py" pages
cmp "$here/dynp.md" "$copy/dynp.md"
