#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `make dist` gives a tarball with every file of the repository and nothing else but generated ones. What is unpacked
# builds out of tree, simulates, and makes the same tarball again.
set -euo pipefail
# shellcheck source=tests/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"
# What a tarball leaves out.
left_out='^(\.gitignore|\.gitattributes)$'
# What it has beside the repository: the output of autoreconf, and the list of its files.
generated='^(Makefile\.in|aclocal\.m4|configure|configure~|dfrs-config\.h\.in|build-aux/.*|m4/(libtool|lt.*)\.m4)$'

work=$(mktemp -d "${TMPDIR:-/tmp}/dfrs-dist-XXXXXX")
trap 'rm -rf "$work"' EXIT
export CCACHE_NOHASHDIR=1  # the folder's name is another each time
compilers=(CXX=g++ CC=gcc)
if command -v ccache > /dev/null; then compilers=(CXX='ccache g++' CC='ccache gcc'); fi

# configured SOURCE BUILD: configures the source, given relative to the build folder, in the build folder
configured() {
  mkdir -p "$2"
  (cd "$2" && "$1/configure" -q "${compilers[@]}" CXXFLAGS='-O1 -g0' CFLAGS='-O1 -g0' > configure.log 2>&1) ||
    { tail -n 30 "$2/configure.log"; exit 1; }
}
# tarball BUILD: makes it and prints its name
tarball() {
  make -s -C "$1" dist > "$1/dist.log" 2>&1 || { tail -n 30 "$1/dist.log" >&2; return 1; }
  ls "$1"/dfrs-*.tar.gz
}
# files TARBALL: the names in it, without the leading folder
files() { tar -tzf "$1" | grep -v '/$' | sed 's|^[^/]*/||' | LC_ALL=C sort; }

cd "$root"
[[ -e .git ]] || { echo 'SKIP: this is no git checkout, to compare a tarball with'; exit 77; }
[[ -x configure ]] || autoreconf -fi
configured "$root" "$work/first"
first=$(tarball "$work/first")
git ls-files | grep -Ev "$left_out" | LC_ALL=C sort > "$work/kept"
files "$first" > "$work/packed"
comm -23 "$work/kept" "$work/packed" > "$work/missing"
comm -13 "$work/kept" "$work/packed" | grep -Ev "$generated" > "$work/extra" || true
sed 's/^/not in the tarball: /' "$work/missing"
sed 's/^/in the tarball but not in the repository: /' "$work/extra"
[[ ! -s $work/missing && ! -s $work/extra ]]

mkdir "$work/source"
tar -xzf "$first" -C "$work/source" --strip-components=1
configured ../source "$work/build"
second=$(tarball "$work/build")
files "$second" > "$work/again"
diff "$work/packed" "$work/again"
make -s -C "$work/build" -j"$jobs" dfrs-sim
cd "$work/build"
# figures: a comparison without the columns that say where it comes from
figures() { awk -F, 'NR == 1 { while ($(kept + 1) != "program") ++kept } { for (i = 1; i <= kept; ++i) printf "%s,", $i; print "" }'; }
./dfrs-sim compare ../source/tests/golden/workload.dfrs -a 'FCFS,EASY,Greedy*,GreedyP*' \
  -a 'GreedyPM*/per/MINVT=600,MCB8*/MINVT=600,/per' --format csv > compared.csv
figures < ../source/tests/golden/compare.txt > expected
figures < compared.csv | diff expected -
[[ $(../source/quickstart help) == *"quickstart cluster up"* ]]
echo "$(wc -l < "$work/packed") files; the tarball builds, simulates and packs itself"
