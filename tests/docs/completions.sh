#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What bash offers for the programs; zsh's file is read by zsh where there is one.
set -euo pipefail
[[ -f completions/bash/dfrs-sim ]] || { echo 'SKIP: no completions were built'; exit 77; }
PATH=$PWD:$PATH
failures=0
# offers WANTED WORD...: the last word is being completed; WANTED is among what is offered, or "nothing" is
offers() {
  local wanted=$1
  shift
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  "_${1//-/_}"
  if [[ " ${COMPREPLY[*]:-nothing} " != *" $wanted "* ]]; then
    echo "FAIL: $*: offered '${COMPREPLY[*]:-nothing}', not $wanted"
    failures=$((failures + 1))
  fi
}
# shellcheck disable=SC1090
for file in completions/bash/*; do source "$file"; done
offers reproduce dfrs-sim rep
offers --penalty dfrs-sim compare --pe
offers nothing dfrs-sim fetch --pe
offers packed dfrs-sim run --batch-nodes ''
offers Triage dfrs-sim run -a Tri
offers sacct dfrs-sim import ''
offers --anonymise dfrs-sim import sacct --a
offers explain dfrsctl e
offers --json dfrsctl --j
offers off dfrsctl record ''
offers --slurm-user dfrsd --s
offers warning dfrsd --log-level ''
offers --list-settings dfrs-check-config --l
offers nothing dfrs-check-config dfrs
offers --run-dir dfrs-run --r
offers bash dfrs-run bas
offers bash dfrs-run --run-dir /run/dfrs/n1 bas
offers nothing dfrs-run bash --r
# Every option of every command.
for command in $(./dfrs-sim --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
  for option in $(./dfrs-sim "$command" --help | grep -oE '^  (-[a-z],)?--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
    offers "$option" dfrs-sim "$command" "$option"
  done
done
for program in dfrs-check-config dfrs-run dfrsctl dfrsd; do
  for option in $("./$program" --help | grep -oE '^  (-[a-z],)?--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
    offers "$option" "$program" "$option"
  done
done
if command -v zsh > /dev/null; then
  for file in completions/zsh/_*; do zsh -n "$file" || failures=$((failures + 1)); done
else
  echo 'zsh is not installed: its files were not parsed'
fi
(( failures == 0 )) && echo ok
exit $(( failures != 0 ))
