#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Debian 13 in a root folder below /tmp, made from the archive that this host gets its own packages from: the README's
# first command with g++ 14 and without a warning, smoke tests on its Slurm, and the unit tests.
# Exit: 77 if that cannot be had.
set -euo pipefail
# shellcheck source=tests/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"
command -v apt-get > /dev/null || { echo "SKIP: only on Debian"; exit 77; }
[[ $(id -u) == 0 ]] || sudo -n true 2> /dev/null || { echo "SKIP: only root can change the root folder"; exit 77; }
need mmdebstrap debian-archive-keyring

# shellcheck disable=SC2016 # apt-get fills these in
archive=$(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' |
  sed -n 's/^Debian|Debian|//p' | sort -u | head -n 1)
[[ -n $archive ]] || { echo "SKIP: no Debian archive is among the host's package sources"; exit 77; }
options=()
while IFS= read -r line; do options+=("--aptopt=$line"); done < <(apt-config dump | grep -E '^Acquire::https?::Proxy' || true)

work=$(mktemp -d /tmp/dfrs-debian13-XXXXXX)
system=$work/debian
finish() {
  local at
  for at in proc sys dev; do as_root umount -R "$system/$at" 2> /dev/null || true; done
  if ! grep -q " $system/" /proc/mounts; then as_root rm -rf --one-file-system "$work"; fi
}
trap finish EXIT

# The packages that the commands would install themselves, but in one go. Slurm's daemons must not start.
wanted=("${packages[@]}" "${cluster_packages[@]}" libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev gnutls-bin
  faketime)
# shellcheck disable=SC2016 # $1 is for the inner shell
if ! as_root mmdebstrap --variant=apt --include="$(IFS=,; echo "${wanted[*]}")" --dpkgopt='path-exclude=/usr/share/doc/*' \
    --setup-hook='mkdir -p "$1/usr/sbin"; printf "#!/bin/sh\nexit 101\n" > "$1/usr/sbin/policy-rc.d"; chmod 755 "$1/usr/sbin/policy-rc.d"' \
    "${options[@]}" trixie "$system" "$archive"; then
  echo "SKIP: Debian 13 cannot be fetched"
  exit 77
fi
mkdir -p "$work/source"
git -C "$root" ls-files -z | tar -C "$root" --null -T - -cf - | tar -C "$work/source" -xf -
as_root mv "$work/source" "$system/source"
as_root cp /etc/resolv.conf /etc/hosts "$system/etc/"
for at in proc sys dev; do as_root mount --rbind "/$at" "$system/$at"; as_root mount --make-rslave "$system/$at"; done

# shellcheck disable=SC2016 # for the inner shell
as_root env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 chroot "$system" bash -ec '
  cd /source
  apt-get -q update > /dev/null
  g++ --version | head -n 1
  DFRS_SLURM_SRC=$(plugin/fetch_slurm_source.sh out/slurm-src)
  export DFRS_SLURM_SRC DFRS_CONFIGURE=--enable-werror
  ./quickstart demo
  source tests/setup.sh
  source tests/slurm/lib.sh
  jobs=$1
  say "all programs and plugins"
  make -C build -k -j"$jobs"
  say "smoke tests on $(slurmctld -V)"
  smoke_tests out/smoke.tsv out/live
  say "unit tests"
  make -C build -k -j"$jobs" check-units CXXFLAGS="-O0 -g0" && exit
  grep -hE -B12 "^\[  FAILED  \] .*ms\)" build/tests/*.log
  exit 1' - "$jobs"
