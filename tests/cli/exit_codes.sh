#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The exit codes that docs/reference/exit-codes.md promises, each with its message on standard error and nothing on standard
# output.
set -uo pipefail

sim=${DFRS_SIM:-./dfrs-sim}
command -v "$sim" > /dev/null || { echo "ERROR: $sim does not exist; build it first"; exit 99; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# expect CODE TEXT ARGUMENT...: exits with CODE; for 0 TEXT is in the output, else in the message. `input` is standard
# input.
input=/dev/null
expect() {
  local code=$1 text=$2 status=0 where=$work/err
  shift 2
  "$sim" "$@" < "$input" > "$work/out" 2> "$work/err" || status=$?
  (( code == 0 )) && where=$work/out
  if (( status != code )) || ! grep -qF -- "$text" "$where"; then
    printf 'FAIL: dfrs-sim %s: exit %s, expected %s and "%s" in:\n' "$*" "$status" "$code" "$text"
    cat "$where"
    failures=$((failures + 1))
  fi
  if (( code != 0 )) && [[ -s $work/out ]]; then
    printf 'FAIL: dfrs-sim %s: an error, but standard output is not empty:\n' "$*"
    cat "$work/out"
    failures=$((failures + 1))
  fi
}

cat > "$work/good.trace" <<'END'
; dfrs-trace: 1
; Name: two jobs
; Nodes: 2 cpu 1 memory 1000
1 0 2 1 500 100 100
2 10 1 0.5 400 50 60
END
sed 's/^2 10 1 0.5/2 10 one 0.5/' "$work/good.trace" > "$work/bad_field.trace"
printf '1 0 0 10 1\n' > "$work/short.swf"
gzip -c "$work/good.trace" | head -c 60 > "$work/truncated.gz"
: > "$work/empty"

# 0: success
expect 0 'dfrs-sim ' --version
expect 0 'Exit codes' --help
expect 0 'EASY' list
expect 0 'max stretch' run "$work/good.trace" -a EASY
input=$work/good.trace expect 0 'max stretch' run - -a FCFS
expect 0 '"max_stretch"' run "$work/good.trace" -a 'GreedyPM*/per/OPT=MIN/MINVT=600' --json

# 2: wrong usage
expect 2 ''
expect 2 'frobnicate' frobnicate
expect 2 '--frobnicate' run "$work/good.trace" -a EASY --frobnicate
expect 2 'NOSUCH' run "$work/good.trace" -a NOSUCH
expect 2 '--nodes' run "$work/good.trace" -a EASY --nodes 0
expect 2 '--jobs' generate --jobs many
expect 2 'algorithm' run "$work/good.trace"
expect 2 '--output' generate --count 2

# 3: bad data, with the place
expect 3 'bad_field.trace:5' run "$work/bad_field.trace" -a EASY
expect 3 'short.swf:1' run "$work/short.swf" -a EASY --nodes 4
expect 3 'truncated.gz' run "$work/truncated.gz" -a EASY
expect 3 'empty' run "$work/empty" -a EASY
expect 3 'empty' report "$work/empty" -o "$work/report.html"
input=$work/bad_field.trace expect 3 '<stdin>:5' run - -a EASY

# 4: files
expect 4 'missing.trace' run "$work/missing.trace" -a EASY
expect 4 "$work" run "$work" -a EASY
expect 4 'no/such/folder' run "$work/good.trace" -a EASY --jobs-csv "$work/no/such/folder/jobs.csv"
expect 4 'good.trace' generate --output "$work/good.trace"
if [[ -c /dev/full ]]; then
  status=0
  "$sim" list > /dev/full 2> "$work/err" || status=$?
  if (( status != 4 )); then
    echo "FAIL: dfrs-sim list to a full disk: exit $status, expected 4"
    failures=$((failures + 1))
  fi
fi

# 5: network (nothing listens on port 1 of this machine)
expect 5 '127.0.0.1' run http://127.0.0.1:1/log.swf.gz -a EASY

# After an error there is no file under the final name, nor a rest of one beside it.
mkdir "$work/results"
expect 3 'bad_field.trace:5' compare "$work/good.trace" "$work/bad_field.trace" -o "$work/results/results.csv"
if [[ -n $(ls -A "$work/results") ]]; then
  echo "FAIL: an error left files: $(ls -A "$work/results")"
  failures=$((failures + 1))
fi

echo "$failures failures"
(( failures == 0 ))
