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
source completions/bash/dfrs-sim
source completions/bash/dfrsctl
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
# Every option of every command.
for command in $(./dfrs-sim --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
  for option in $(./dfrs-sim "$command" --help | grep -oE '^  (-[a-z],)?--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
    offers "$option" dfrs-sim "$command" "$option"
  done
done
if command -v zsh > /dev/null; then
  for file in completions/zsh/_*; do zsh -n "$file" || failures=$((failures + 1)); done
fi
(( failures == 0 )) && echo ok
exit $(( failures != 0 ))
