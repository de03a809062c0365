#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Fetches and unpacks the source of the installed Slurm and prints its folder: what ./configure --with-slurm-src wants.
# It is the upstream tarball of Debian's source package; Debian's own patches change nothing that the plugins use, and
# some archives lack that part. Everything stays below the folder given; the host's package lists are not touched.
#
# usage: fetch_slurm_source.sh FOLDER      exit: 0 done, 1 failed (a message says why)
set -euo pipefail

die() { printf 'fetch_slurm_source: %s\n' "$*" >&2; exit 1; }
[[ $# == 1 ]] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 1; }

for tool in apt-get dpkg-query; do
  command -v "$tool" > /dev/null || die "$tool is missing; this works on Debian. Elsewhere, give the source of the installed
Slurm version, a folder or an upstream tarball, to ./configure --with-slurm-src"
done
read -r package version upstream < <(dpkg-query -W \
  -f='${source:Package} ${source:Version} ${source:Upstream-Version}\n' libslurm-dev 2> /dev/null) ||
  die "libslurm-dev is not installed; as root: apt-get install libslurm-dev"

mkdir -p "$1"
folder=$(cd "$1" && pwd -P)
source=$folder/$package-$upstream
if [[ -r $source/META && -f $folder/version && $(< "$folder/version") == "$version" ]]; then
  printf '%s\n' "$source"
  exit
fi

# deb-src lines for the very archives that the host gets Debian's packages from.
key=/usr/share/keyrings/debian-archive-keyring.gpg
[[ -r $key ]] || key=
# shellcheck disable=SC2016 # apt-get fills these in
mapfile -t archives < <(
  apt-get indextargets --format '$(ORIGIN)|$(REPO_URI)|$(CODENAME)|$(COMPONENT)' 'Created-By: Packages' |
    while IFS='|' read -r origin uri suite component; do
      [[ $origin == Debian* ]] || continue
      printf 'deb-src %s%s %s %s\n' "${key:+[signed-by=$key] }" "$uri" "$suite" "$component"
    done | awk '!seen[$0]++')
(( ${#archives[@]} > 0 )) || die "no Debian archive is among the host's package sources; as root, run: apt-get update"

mkdir -p "$folder/lists/partial"
sources=$folder/sources.list
options=(-q -o "Dir::State::Lists=$folder/lists" -o "Dir::Etc::SourceList=$sources" -o Dir::Etc::SourceParts=/dev/null
         -o APT::Get::List-Cleanup=0 -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root)
log=$folder/fetch.log
rm -rf "$source"
: > "$log"
# One at a time: an archive may list a version whose files only another one still has.
for archive in "${archives[@]}"; do
  printf '%s\n' "$archive" > "$sources"
  if (cd "$folder" && apt-get "${options[@]}" update &&
      apt-get "${options[@]}" source --tar-only "$package=$version") >> "$log" 2>&1
  then break; fi
done
tarball=$(find "$folder" -maxdepth 1 -name "${package}_$upstream.orig.tar.*" ! -name '*.asc' | head -n 1)
if [[ -n $tarball ]]; then
  mkdir -p "$source"
  tar -xf "$tarball" -C "$source" --strip-components=1 >> "$log" 2>&1 || rm -rf "$source"
  rm -f "$tarball"
fi
[[ -r $source/META ]] || {
  tail -n 20 "$log" >&2
  die "the source of $package $version could not be fetched (log: $log)"
}
printf '%s\n' "$version" > "$folder/version"
printf '%s\n' "$source"
