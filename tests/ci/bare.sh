#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# README's commands on a bare Debian of any release, in a root folder below /tmp: demo, cluster up, cluster down; or, with
# `check`, the second command. quickstart itself installs what is missing. By hand; it takes as long as a build of
# everything, or as check.
#
# usage: tests/ci/bare.sh bookworm|trixie|sid [check]     as root or with sudo. Exit: 77 if that cannot be had.
#   DFRS_TRACES     folder with workload logs, for check
#   DFRS_SLURM_SRC  the source of that release's Slurm, a folder or a tarball; default: fetched from Debian's archive
#   DFRS_CLANG      a version of clang, such as 19: compiles with it instead of g++
#   CCACHE_DIR      installs ccache too, and keeps its cache in this folder
set -euo pipefail
# shellcheck source=tests/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"
# shellcheck source=tests/packages/chroot.sh
source "$root/tests/packages/chroot.sh"
[[ $# == 1 || ($# == 2 && $2 == check) ]] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 1; }
suite=$1 what=${2:-demo}
command -v apt-get > /dev/null || { echo "SKIP: only on Debian"; exit 77; }
[[ $(id -u) == 0 ]] || sudo -n true 2> /dev/null || { echo "SKIP: only root can change the root folder"; exit 77; }
need mmdebstrap debian-archive-keyring

work=$(mktemp -d "/tmp/dfrs-$suite-XXXXXX")
system=$work/debian
trap 'remove_chroots "$work"' EXIT
say "a bare $suite (log: out/bare-$suite.log)"
mkdir -p "$out" "$work/source"
make_chroot "$suite" "$system" ca-certificates ${CCACHE_DIR:+ccache} ${DFRS_CLANG:+"clang-$DFRS_CLANG"} > "$out/bare-$suite.log" 2>&1 || { echo "SKIP: $suite cannot be fetched"; exit 77; }
git -C "$root" ls-files -z | tar -C "$root" --null -T - -cf - | tar -C "$work/source" -xf -
as_root mv "$work/source" "$system/source"
as_root cp /etc/hosts "$system/etc/"
if [[ -n ${DFRS_SLURM_SRC:-} ]]; then as_root cp -a "$DFRS_SLURM_SRC" "$system/slurm-source"; fi
if [[ -n ${CCACHE_DIR:-} ]]; then
  mkdir -p "$CCACHE_DIR"
  as_root mkdir -p "$system/ccache"
  bind "$system" "$CCACHE_DIR" /ccache
fi
if [[ -n ${DFRS_TRACES:-} ]]; then
  as_root mkdir -p "$system/traces"
  bind "$system" "$DFRS_TRACES" /traces
fi
for at in proc sys dev; do as_root mount --rbind "/$at" "$system/$at"; as_root mount --make-rslave "$system/$at"; done

begin=$SECONDS
as_root env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 ${CCACHE_DIR:+CCACHE_DIR=/ccache} \
  ${DFRS_SLURM_SRC:+DFRS_SLURM_SRC=/slurm-source} ${DFRS_TRACES:+DFRS_TRACES=/traces} "WHAT=$what" \
  ${DFRS_CLANG:+"CC=clang-$DFRS_CLANG" "CXX=${CCACHE_DIR:+ccache }clang++-$DFRS_CLANG"} \
  chroot "$system" bash -euo pipefail << 'INSIDE'
cd /source
took() { echo "==> $1: $((SECONDS - begin)) s"; begin=$SECONDS; }
begin=$SECONDS
apt-get -q update > /dev/null
if [[ $WHAT == check ]]; then
  ./quickstart check < /dev/null
  exit
fi
./quickstart demo
${CXX:-g++} --version | head -n 1
took demo
./quickstart cluster up
slurmctld -V
took "cluster up"
./quickstart cluster status
./quickstart cluster down
took "cluster status and down"
INSIDE
say "README's commands on $suite: $((SECONDS - begin)) s"
