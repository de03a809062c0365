#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# All programs, tests and benchmarks compile and link with clang without a warning. Without optimisation: unlike g++,
# clang warns about the same things either way. (-Wno-deprecated-declarations: libstdc++ 12 uses what it calls
# deprecated.)
set -euo pipefail
# shellcheck source=tests/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"
prepare clang-19 "${packages[@]}" "${test_packages[@]}"
slurm_source present
configure_in "$root/build-clang" --enable-werror CC=clang-19 CXX=clang++-19 CFLAGS=-O0 \
  CXXFLAGS="-O0 -Wno-deprecated-declarations" "${slurm_options[@]}"
make -C "$root/build-clang" -k -j"$jobs" build-everything
