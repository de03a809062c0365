#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Debian 13 in a root folder below /tmp, made from the archive that this host gets its own packages from: the README's
# first command with g++ 14 and without a warning, smoke tests on its Slurm, and the unit tests.
# Exit: 77 if that cannot be had.
set -euo pipefail
# shellcheck source=tests/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"
# shellcheck source=tests/packages/chroot.sh
source "$root/tests/packages/chroot.sh"
command -v apt-get > /dev/null || { echo "SKIP: only on Debian"; exit 77; }
[[ $(id -u) == 0 ]] || sudo -n true 2> /dev/null || { echo "SKIP: only root can change the root folder"; exit 77; }
need mmdebstrap debian-archive-keyring

# The packages that the commands would install themselves, but in one go. Slurm's daemons must not start.
wanted=("${packages[@]}" "${cluster_packages[@]}" libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev gnutls-bin
  faketime criu bubblewrap python3-numpy)
work=$(mktemp -d /tmp/dfrs-debian13-XXXXXX)
system=$work/debian
trap 'remove_chroots "$work"' EXIT
took() { say "$1: $((SECONDS - begun)) s"; begun=$SECONDS; }
begun=0
make_chroot trixie "$system" "${wanted[@]}" || { echo "SKIP: Debian 13 cannot be fetched"; exit 77; }
took "a root folder"
mkdir -p "$work/source"
git -C "$root" ls-files -z | tar -C "$root" --null -T - -cf - | tar -C "$work/source" -xf -
as_root mv "$work/source" "$system/source"
as_root cp /etc/hosts "$system/etc/"
as_root mount --bind "$system" "$system"  # criu finds files by their mounts
for at in proc sys dev; do as_root mount --rbind "/$at" "$system/$at"; as_root mount --make-rslave "$system/$at"; done

# shellcheck disable=SC2016 # for the inner shell
as_root env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 chroot "$system" bash -ec '
  cd /source
  apt-get -q update > /dev/null
  g++ --version | head -n 1
  took() { say "$1: $((SECONDS - begun)) s"; begun=$SECONDS; }
  begun=0
  DFRS_SLURM_SRC=$(plugin/fetch_slurm_source.sh out/slurm-src)
  export DFRS_SLURM_SRC DFRS_CONFIGURE=--enable-werror
  ./quickstart demo
  source tests/setup.sh
  source tests/slurm/lib.sh
  jobs=$1
  took demo
  make -C build -k -j"$jobs"
  took "all programs and plugins"
  slurm_symbols build ""
  # Credentials without MUNGE: the Slurm of Debian 12 has none. Of the other classes of checkpoints, another one each day.
  checkpoint_classes=(Faults ImageFaults SeveralNodes)
  smoke_classes+=(test_auth.SlurmsOwn "test_checkpoints.${checkpoint_classes[10#$(date +%j) % 3]}")
  # Live tests wait more than they compute, so the unit tests compile meanwhile.
  nice -n 19 make -C build -k -j"$jobs" build-units "$test_flags" > out/units.log 2>&1 &
  say "smoke tests on $(slurmctld -V); meanwhile the unit tests compile"
  smoke_tests out/smoke.tsv out/live $!
  took "smoke tests"
  say "unit tests"
  make -C build -k -j"$jobs" check-units "$test_flags" && exit
  grep -hE -B12 "^\[  FAILED  \] .*ms\)" build/tests/*.log
  exit 1' - "$jobs"
