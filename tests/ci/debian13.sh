#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The programs build with g++ 14 on Debian 13 without a warning. This builds in a Debian 13 root folder below /tmp, made
# from the archive that this host gets its own packages from. Exit: 77 if that cannot be had.
set -euo pipefail
# shellcheck source=tests/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"
command -v apt-get > /dev/null || { echo "SKIP: only on Debian"; exit 77; }
[[ $(id -u) == 0 ]] || sudo -n true 2> /dev/null || { echo "SKIP: chroot needs root"; exit 77; }
need mmdebstrap debian-archive-keyring

# shellcheck disable=SC2016 # apt-get fills these in
archive=$(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' |
  sed -n 's/^Debian|Debian|//p' | sort -u | head -n 1)
[[ -n $archive ]] || { echo "SKIP: no Debian archive is among the host's package sources"; exit 77; }
options=()
while IFS= read -r line; do options+=("--aptopt=$line"); done < <(apt-config dump | grep -E '^Acquire::https?::Proxy' || true)

work=$(mktemp -d /tmp/dfrs-debian13-XXXXXX)
trap 'as_root rm -rf --one-file-system "$work"' EXIT
wanted=("${packages[@]}")
if ! as_root mmdebstrap --variant=apt --include="$(IFS=,; echo "${wanted[*]}")" --dpkgopt='path-exclude=/usr/share/doc/*' \
    "${options[@]}" trixie "$work/debian" "$archive"; then
  echo "SKIP: Debian 13 cannot be fetched"
  exit 77
fi
mkdir -p "$work/source"
git -C "$root" ls-files -z | tar -C "$root" --null -T - -cf - | tar -C "$work/source" -xf -
as_root mv "$work/source" "$work/debian/source"
# shellcheck disable=SC2016 # for the inner shell
as_root env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 chroot "$work/debian" bash -ec '
  cd /source
  g++ --version | head -n 1
  autoreconf -fi
  ./configure --enable-werror CXXFLAGS="-O2 -g0"
  make -k -j"$1"
  ./dfrs-sim demo --output /tmp/demo' - "$jobs"
