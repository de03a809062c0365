#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/docs/reference.pl notices what it should: each case spoils a copy of the sources in one place.
set -euo pipefail
command -v perl > /dev/null || { echo 'SKIP: perl is missing'; exit 77; }
source=$(cd "${srcdir:-.}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# spoil FILE SED-EXPRESSION MESSAGE: with the file changed so, the check fails with this message.
spoil() {
  local file=$1 change=$2 message=$3 copy=$work/copy entry
  rm -rf "$copy"
  mkdir "$copy"
  for entry in "$source"/*; do ln -s "$entry" "$copy/"; done
  # The folders on the way to the file become real ones, with links to all else.
  local path=$copy done_so_far=$source part parts
  IFS=/ read -ra parts <<< "$file"
  for part in "${parts[@]:0:${#parts[@]}-1}"; do
    path=$path/$part done_so_far=$done_so_far/$part
    rm "$path"
    mkdir "$path"
    for entry in "$done_so_far"/*; do ln -s "$entry" "$path/"; done
  done
  rm "$copy/$file"
  sed -E "$change" "$source/$file" > "$copy/$file"
  if cmp -s "$source/$file" "$copy/$file"; then
    echo "FAIL: '$change' changes nothing in $file"
    failures=$((failures + 1))
    return
  fi
  local status=0
  perl "$copy/tests/docs/reference.pl" "$copy" . > "$work/out" 2>&1 || status=$?
  if (( status == 0 )) || ! grep -qF -- "$message" "$work/out"; then
    echo "FAIL: '$change' in $file: exit $status, expected a failure with '$message':"
    cat "$work/out"
    failures=$((failures + 1))
  fi
}

spoil docs/reference/dfrs-sim.md 's/--penalty X/--penalties X/' 'dfrs-sim.md is not what --help says'
spoil docs/reference/dfrsd.md '/^\| `--release`/d' 'dfrsd.md is not what --help says'
spoil docs/reference/dfrsctl.md 's/^    dfrsctl nodes/    dfrsctl knots/' 'does not show `dfrsctl nodes`'
spoil docs/local.mk 's/dfrs-sim-replay/dfrs-sim-reply/' "'replay' is in dfrs-sim --help"
spoil docs/reference/dfrs.conf.md '/^\| `QuotaWait`/d' "'QuotaWait' is in the program"
spoil docs/reference/dfrs.conf.md 's/^\| `Period` \| 600/| `Period` | 60/' "the default of Period is '600', not '60'"
spoil docs/reference/dfrs.conf.md 's/^(\| `Period`)/| `Periods` | 1 | none such |\n\1/' "'Periods' is in docs/reference/dfrs.conf.md"
spoil etc/dfrs.conf.example 's/^SwapRate=/SwopRate=/' "'SwapRate' is in the program, not in etc/dfrs.conf.example"
spoil docs/reference/exit-codes.md '/^\| 8 \|/d' "exit codes of dfrs-sim: '8' is in --help"
spoil docs/reference/exit-codes.md '/^\| 126 \|/d' "exit codes of dfrs-run: '126' is in --help"
spoil docs/reference/dfrs-run.md '/^\| `--run-dir/d' 'dfrs-run.md is not what --help says'
spoil docs/reference/metrics.md 's/`dfrs_agent_errors`/`dfrs_agent_mistakes`/' "'dfrs_agent_mistakes' is in docs/reference/metrics.md"
spoil shim/agent/metrics.cc 's/"dfrs_agent_errors", /"dfrs_agent_faults", /' "'dfrs_agent_faults' is in shim/"
spoil docs/reference/algorithms.md 's/^\| `dynp`/| `dynq`/' "'dynp' is in dfrs-sim list"
spoil docs/README.md 's/\(reference\/glossary.md\)/(reference\/glosary.md)/' 'the link reference/glosary.md leads nowhere'
spoil docs/contributor-guide.md 's/^## Add a policy/## Add policies/' 'no heading for #add-a-policy'
spoil docs/reference/paper-map.md 's/policy\/mcb8\/packer.cc/policy\/mcb9\/packer.cc/' 'there is no policy/mcb9/packer.cc'
spoil docs/reference/paper-map.md 's/controller\/cpu_needs.cc/controller\/needs.cc/' 'there is no shim/controller/needs.cc'
spoil docs/reference/triage.md 's/`core.cc`/`triage_policy.cc`/' 'there is no policy/triage/triage_policy.cc'
spoil sim/errors.h 's/docs\/reference\/exit-codes.md/docs\/no-page.md/' 'sim/errors.h names docs/no-page.md'
spoil configure.ac 's/\[0\.[0-9.]+\]/[9.9.9]/' 'configure.ac has version 9.9.9, CHANGELOG.md'
spoil CITATION.cff 's/^date-released: .*/date-released: 2020-01-01/' 'CITATION.cff 2020-01-01'
spoil debian/changelog '1,/^ -- /s/, [0-9]+ /, 1 /' 'debian/changelog 20'
spoil packaging/dfrs.spec 's/^Version:.*/Version: 0.0.1/' 'packaging/dfrs.spec 0.0.1'
spoil CHANGELOG.md 's/^(## \[[0-9.]+\]) - .*/\1 - unreleased/' 'does not begin with a version'
spoil README.md 's/^/a b c d e f g h i j k l m n /' 'words, more than'
(( failures == 0 )) && echo ok
exit $(( failures != 0 ))
