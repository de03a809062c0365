#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `make dist` gives a tarball with every file of the repository and nothing else but generated ones. What is unpacked
# builds out of tree, simulates, makes the same tarball again, and, as root and with Slurm's source, brings up a cluster
# that runs a job under sched/dfrs (DFRS_DIST_CLUSTER=0: not that).
set -euo pipefail
# shellcheck source=tests/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"
# What a tarball leaves out.
left_out='^(\.gitignore|\.gitattributes)$'
# What it has beside the repository: the output of autoreconf, and the list of its files.
generated='^(Makefile\.in|aclocal\.m4|configure|configure~|dfrs-config\.h\.in|build-aux/.*|m4/(libtool|lt.*)\.m4)$'

work=$(mktemp -d "${TMPDIR:-/tmp}/dfrs-dist-XXXXXX")
cluster_is_up=
finish() {
  [[ -z $cluster_is_up ]] || unpacked_live down --dir "$work/cluster" || true
  rm -rf "$work"
}
trap finish EXIT
export CCACHE_NOHASHDIR=1  # the folder's name is another each time
compilers=(CXX=g++ CC=gcc)
if command -v ccache > /dev/null; then compilers=(CXX='ccache g++' CC='ccache gcc'); fi

# configured SOURCE BUILD OPTION...: configures the source, given relative to the build folder, in the build folder.
# Nothing here runs for long, so compilation is to be short.
configured() {
  mkdir -p "$2"
  (cd "$2" && "$1/configure" -q "${compilers[@]}" CXXFLAGS='-O0 -g0' CFLAGS='-O1 -g0' "${@:3}" > configure.log 2>&1) ||
    { tail -n 30 "$2/configure.log"; exit 1; }
}
# tarball BUILD: makes it and prints its name
tarball() {
  make -s -C "$1" dist > "$1/dist.log" 2>&1 || { tail -n 30 "$1/dist.log" >&2; return 1; }
  ls "$1"/dfrs-*.tar.gz
}
# unpacked_live ARGUMENT...: the test cluster of what was unpacked
unpacked_live() {
  PYTHONPATH=$work/source/tests PYTHONDONTWRITEBYTECODE=1 DFRS_BUILD_DIR=$work/build /usr/bin/python3 -m live "$@"
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
cluster=
slurm_source present
if (( ${#slurm_options[@]} > 0 && ${DFRS_DIST_CLUSTER:-1} )) && [[ $(id -u) == 0 ]]; then cluster=1; fi
for daemon in slurmctld slurmd munged; do command -v "$daemon" > /dev/null || cluster=; done
configured ../source "$work/build" "${slurm_options[@]}"
second=$(tarball "$work/build")
files "$second" > "$work/again"
diff "$work/packed" "$work/again"
goal=dfrs-sim
if [[ -n $cluster ]]; then goal=all; fi
make -s -C "$work/build" -j"$jobs" "$goal" > "$work/build/make.log" 2>&1 || { tail -n 30 "$work/build/make.log"; exit 1; }
cd "$work/build"
# figures: a comparison without the columns that say where it comes from
figures() { awk -F, 'NR == 1 { while ($(kept + 1) != "program") ++kept } { for (i = 1; i <= kept; ++i) printf "%s,", $i; print "" }'; }
./dfrs-sim compare ../source/tests/golden/workload.dfrs -a 'FCFS,EASY,Greedy*,GreedyP*' \
  -a 'GreedyPM*/per/MINVT=600,MCB8*/MINVT=600,/per' --format csv > compared.csv
figures < ../source/tests/golden/compare.txt > expected
figures < compared.csv | diff expected -
[[ $(../source/quickstart help) == *"quickstart cluster up"* ]]
echo "$(wc -l < "$work/packed") files; the tarball builds, simulates and packs itself"
if [[ -z $cluster ]]; then
  echo "no cluster: that needs root, slurmctld, slurmd, munged and the source of Slurm (DFRS_SLURM_SRC), and not
DFRS_DIST_CLUSTER=0"
  exit
fi
cluster_is_up=1
unpacked_live up --dir "$work/cluster" --nodes 2
# shellcheck source=/dev/null # the cluster writes it
(source "$work/cluster/env" && [[ $(srun -n 2 echo ran) == $'ran\nran' ]] && dfrsctl status | tee status && grep -q Triage status)
echo "the tarball brings up a cluster"
