#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The pages in docs/results show what their data say, and a page that does not is found.
set -euo pipefail
here=${srcdir:-.}/docs/results
python3 "$here/regenerate.py" check
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir "$copy/images" "$copy/results"
cp "$here"/../images/*.svg "$copy/images"
cp -r "$here"/*.md "$here/regenerate.py" "$here/tables" "$here/data" "$copy/results"
chmod -R u+w "$copy"
found() {
  if python3 "$copy/results/regenerate.py" check > /dev/null; then
    echo "FAIL: a changed $1 passed the check"
    exit 1
  fi
  python3 "$copy/results/regenerate.py" pages
  python3 "$copy/results/regenerate.py" check
}
sed -i '0,/^| average wait time/s// | changed/' "$copy/results/dynp.md"
found page
cmp "$here/dynp.md" "$copy/results/dynp.md"
sed -i 's/stroke-dasharray/dash/' "$copy/images/triage-mixed.svg"
found chart
cmp "$here/../images/triage-mixed.svg" "$copy/images/triage-mixed.svg"

# A figure that no command makes is found.
printf '\n| what | measured |\n|---|---|\n| round | 19.6 |\n' >> "$copy/results/sc15.md"
if error=$(python3 "$copy/results/regenerate.py" check); then
  echo "FAIL: a figure typed into a page passed the check"
  exit 1
fi
grep -q 'no command makes: sc15.md:[0-9]*;' <<< "$error"
cp "$here/sc15.md" "$copy/results"

# Data of a command that is no longer the experiment's are found.
sed -i 's/"command": "dfrs-sim reproduce dynp /&--seed 7 /' "$copy/results/data/dynp.runs.json"
if error=$(python3 "$copy/results/regenerate.py" check); then
  echo "FAIL: data of another command passed the check"
  exit 1
fi
grep -q 'the data of dynp come from another command' <<< "$error"

# A run without the logs must not replace the figures that need them.
if error=$(env -u DFRS_TRACES python3 "$copy/results/regenerate.py" run ipdps2010 --instances 1 --work "$copy/work" 2>&1); then
  echo "FAIL: a run without its log passed"
  exit 1
fi
grep -q 'lacks the parts that need HPC2N-2002-2.1-cln.swf.gz; set DFRS_TRACES' <<< "$error"
cmp "$here/data/ipdps2010.csv" "$copy/results/data/ipdps2010.csv"
