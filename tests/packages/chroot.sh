# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Root folders of Debian for tests/packages/check. To be sourced after tests/setup.sh.

# make_chroot SUITE FOLDER PACKAGE...: from the archive that this host gets its own packages from
make_chroot() {
  local suite=$1 folder=$2 archive options=() line
  shift 2
  # shellcheck disable=SC2016 # apt-get fills these in
  archive=$(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' |
    sed -n 's/^Debian|Debian|//p' | sort -u | head -n 1)
  [[ -n $archive ]] || return 1
  while IFS= read -r line; do options+=("--aptopt=$line"); done < <(apt-config dump | grep -E '^Acquire::https?::Proxy' || true)
  # Mirrors that are a snapshot have a sid of that day, which apt takes for expired.
  if [[ $suite == sid ]]; then options+=('--aptopt=Acquire::Check-Valid-Until "false"'); fi
  as_root mmdebstrap --variant=apt --include="$(IFS=,; echo "$*")" --dpkgopt=force-unsafe-io \
    "${options[@]}" "$suite" "$folder" "$archive" || return 1
  as_root cp /etc/resolv.conf "$folder/etc/resolv.conf"
}

# bind CHROOT FOLDER PLACE: shows a folder of the host inside, until remove_chroots
bind() { as_root mount --bind "$2" "$1$3"; }

# inside CHROOT COMMAND...: with /proc and /dev, and without the environment of the host
inside() {
  local folder=$1
  shift
  # shellcheck disable=SC2016 # for the inner shell
  as_root unshare --mount sh -ec 'folder=$1; shift
    mount -t proc proc "$folder/proc"
    mount --rbind /dev "$folder/dev"
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 chroot "$folder" "$@"' - "$folder" "$@"
}

# remove_chroots FOLDER: what is mounted below it first, also what something still uses (after a failure)
remove_chroots() {
  local mounted
  while IFS= read -r mounted; do as_root umount --lazy "$mounted"; done < <(awk -v top="$1/" 'index($2, top) == 1 { print $2 }' /proc/mounts | sort -r)
  as_root rm -rf --one-file-system "$1"
}
