#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ./configure names all missing packages at once, as the system at hand calls them.
set -euo pipefail

srcdir=$(cd "${srcdir:-.}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
printf '#!/bin/sh\n[ "$1" = --atleast-pkgconfig-version ]\n' > "$work/pkg-config"  # one that finds nothing
chmod +x "$work/pkg-config"

# expect NAME OS-RELEASE TEXT...: with no library to be found, configure ends and says these texts
expect() {
  local name=$1 text
  printf '%b' "$2" > "$work/os-release"
  shift 2
  if DFRS_OS_RELEASE=$work/os-release "$srcdir/configure" --cache-file="$work/cache" PKG_CONFIG="$work/pkg-config" > "$work/output" 2>&1
  then
    printf 'FAIL: %s: configure did not stop\n' "$name"
    exit 1
  fi
  for text in "$@"; do
    grep -qF -- "$text" "$work/output" || { tail -n 8 "$work/output"; printf "FAIL: %s: does not say '%s'\n" "$name" "$text"; exit 1; }
  done
  printf 'ok: %s\n' "$name"
}

expect "Debian" 'ID=debian\n' "apt-get install libfmt-dev libarchive-dev libcurl4-openssl-dev nettle-dev"
expect "Ubuntu" 'ID=ubuntu\nID_LIKE=debian\n' "apt-get install libfmt-dev"
expect "Fedora" 'ID=fedora\n' "dnf install fmt-devel libarchive-devel libcurl-devel nettle-devel sqlite-devel"
expect "Rocky 9" 'ID="rocky"\nID_LIKE="rhel centos fedora"\n' "dnf install epel-release && dnf --enablerepo=crb install fmt-devel"
expect "openSUSE" 'ID="opensuse-leap"\nID_LIKE="suse opensuse"\n' "zypper install fmt-devel" "libnettle-devel sqlite3-devel"
expect "another" 'ID=arch\n' "the packages that Debian calls libfmt-dev"
