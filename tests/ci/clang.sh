#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# All programs compile and link with clang without a warning, and so do tests and benchmarks, of which only the syntax is
# looked at: that is where clang warns. Without optimisation: unlike g++, clang warns about the same things either way.
# (-Wno-deprecated-declarations: libstdc++ 12 uses what it calls deprecated.)
set -euo pipefail
# shellcheck source=tests/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"
prepare clang-19 "${packages[@]}" "${test_packages[@]}"
slurm_source present
build=$root/build-clang
configure_in "$build" --enable-werror CC=clang-19 CXX=clang++-19 CFLAGS=-O0 \
  CXXFLAGS="-O0 -Wno-deprecated-declarations" "${slurm_options[@]}"
status=0
make -C "$build" -k -j"$jobs" all || status=1

# GoogleTest is a third of what a test costs to compile: once for all.
cd "$build"
# shellcheck disable=SC2016 # for make
compiler=$(printf 'include Makefile\ncompiler:\n\t@echo $(CXX) $(DEFS) $(DEFAULT_INCLUDES) $(tests_page_tests_CPPFLAGS) $(AM_CXXFLAGS) $(CXXFLAGS)\n' |
  make -s -f - compiler)
printf '#include <%s/%s.h>\n' gmock gmock gtest gtest > once.h
$compiler -x c++-header -o once.h.pch once.h
# shellcheck disable=SC2317 # called by xargs
check_syntax() {
  echo "  CLANG    $1"
  $compiler -fsyntax-only -include-pch once.h.pch "../$1"
}
export compiler
export -f check_syntax
# shellcheck disable=SC2016 # "$@" is for the inner shell
git -C "$root" ls-files 'tests/*.cc' | xargs -P "$jobs" -I{} bash -c 'check_syntax "$1"' - {} || status=1
exit "$status"
