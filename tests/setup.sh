# shellcheck shell=bash disable=SC2034 # scripts that source this use the variables
# SPDX-License-Identifier: GPL-2.0-or-later
# What ./quickstart, tests/check and tests/ci/ share: messages, packages, configuring. They source this file.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
build=$root/build
build_asan=$root/build-asan
build_tsan=$root/build-tsan
out=$root/out
jobs=$(nproc 2> /dev/null || echo 2)

packages=(
  # to build
  g++ make autoconf automake autoconf-archive pkg-config
  libcli11-dev nlohmann-json3-dev libfmt-dev libexpected-dev libarchive-dev libcurl4-openssl-dev nettle-dev
  zlib1g-dev libdeflate-dev liblemon-dev libmicrohttpd-dev libmunge-dev libspdlog-dev libsqlite3-dev
  libutf8proc-dev libzstd-dev
  # to run: figures of reports, certificates for `dfrs-sim fetch`
  gnuplot-nox ca-certificates
)
# For the Slurm plugin and a test cluster: Slurm, MUNGE, tools that fetch Slurm's source, and Python for tests/live.
cluster_packages=(slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge libslurm-dev dpkg-dev python3)
# gnutls-bin: certtool makes the certificate for the test of https; faketime: node agents with wrong clocks; doxygen and
# pandoc: checks of headers and manual pages; chromium: the pages that dfrs-sim writes; ctags: lengths of functions; zsh:
# its completions; python3-yaml: the cluster file of Open OnDemand
test_packages=(libgtest-dev libgmock-dev libbenchmark-dev librapidcheck-dev libglpk-dev gnutls-bin faketime doxygen
  pandoc chromium chromium-driver python3-selenium universal-ctags zsh python3-yaml)

say() { printf '==> %s\n' "$*"; }
die() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

# run LOG COMMAND...: writes the output to the file LOG; shows its end if the command fails, and tells of warnings of the
# optimised build, which .ci/run refuses
run() {
  local log=$1 status=0 warnings
  shift
  mkdir -p "$(dirname "$log")"
  "$@" > "$log" 2>&1 || status=$?
  if (( status == 0 )); then
    warnings=$(grep -F "$build/../" "$log" | grep -cE '^[^ ]*:[0-9]+:[0-9]+: warning: ') || true
    (( warnings == 0 )) || say "$warnings warnings in $log; DFRS_CONFIGURE=--enable-werror makes them errors"
    return
  fi
  printf '%s failed (exit %s); errors in %s, and its end:\n' "$*" "$status" "$log" >&2
  # make -k goes on after an error: the last lines need not show it.
  grep -nE -A4 '(error|warning):|\*\*\*|FAILED' "$log" | head -n 60 >&2 || true
  tail -n 30 "$log" >&2
  return 1
}

# Runs a command as root: directly, or through sudo.
as_root() {
  if [[ $(id -u) == 0 ]]; then "$@"; else sudo "$@"; fi
}

# need PACKAGE...: installs those that are missing.
need() {
  local missing=() package
  if ! command -v dpkg-query > /dev/null; then
    say "this is not Debian: quickstart installs no packages; ./configure names what is missing"
    return
  fi
  for package in "$@"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2> /dev/null) == installed ]] || missing+=("$package")
  done
  (( ${#missing[@]} > 0 )) || return 0
  [[ $(id -u) == 0 ]] || command -v sudo > /dev/null || die "packages are missing; install them as root:
  apt-get update
  apt-get install --no-install-recommends ${missing[*]}"
  say "installing ${missing[*]} (log: out/apt.log)"
  run "$out/apt.log" as_root apt-get update -q
  run "$out/apt.log" as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
}

# The same for packages with daemons. Debian starts daemons when it installs them; here they stay off, because a test
# cluster starts its own. Daemons that the host already has stay as they are.
need_daemons() {
  local policy=/usr/sbin/policy-rc.d status=0
  if ! command -v dpkg-query > /dev/null || dpkg-query -W "$@" > /dev/null 2>&1; then return; fi
  if [[ -e $policy ]]; then need "$@"; return; fi
  printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" > /dev/null
  as_root chmod 755 "$policy"
  need "$@" || status=$?
  as_root rm -f "$policy"
  return "$status"
}

# prepare PACKAGE...: what every build needs first
prepare() {
  case $root in
    *[[:space:]\"\'\`\$\&\#\\]*) die "autotools cannot build in a folder whose path has spaces or quotes: $root
Move the checkout to another folder." ;;
  esac
  need "$@"
  compiler=${CXX:-g++}
  if [[ -z ${CXX:-} ]] && command -v ccache > /dev/null; then compiler="ccache g++"; fi
  export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros} # or it leaves out what uses --enable-precompiled-headers
  # Make ./configure once; afterwards make notices changes of configure.ac.
  if [[ -x $root/configure && ! $root/configure.ac -nt $root/configure ]]; then return; fi
  say "autoreconf"
  run "$out/autoreconf.log" autoreconf -fi "$root"
}

# Sets slurm_options for ./configure: the plugin needs the source of the installed Slurm. `slurm_source fetch` gets that
# source; `slurm_source present` uses it only if it is there.
slurm_options=()
slurm_source() {
  local source=${DFRS_SLURM_SRC:-}
  if [[ -z $source && ( $1 == fetch || -f $out/slurm-src/version ) ]] && command -v dpkg-query > /dev/null; then
    say "the source of the installed Slurm is kept in out/slurm-src/"
    source=$("$root/plugin/fetch_slurm_source.sh" "$out/slurm-src") || source=
  fi
  if [[ -z $source && $1 == fetch ]]; then
    die "Slurm's source is needed to build its plugins, of exactly the version that sinfo --version prints: set DFRS_SLURM_SRC
to its folder or its upstream tarball (a tag of github.com/SchedMD/slurm)"
  fi
  # Without its headers the plugin cannot be built, and demo does not need it.
  if [[ $1 == present && ! -e /usr/include/slurm/slurm_version.h && ${DFRS_CONFIGURE:-} != *--with-slurm-headers=* ]]; then
    source=
  fi
  slurm_options=(${source:+"--with-slurm-src=$source"})
}

# configure_in FOLDER OPTION...: configures the folder from scratch if the options differ from last time
configure_in() {
  local folder=$1 stamp=$1/configured-with
  shift
  if [[ -f $folder/Makefile && -f $stamp && $(< "$stamp") == "$*" ]]; then return; fi
  say "configuring ${folder##*/}/: $*"
  rm -rf "$folder"
  mkdir -p "$folder"
  # shellcheck disable=SC2016 # $1, $2 and $@ are for the inner shell
  run "$folder/configure.log" bash -c 'cd "$1" && configure=$2/configure && shift 2 && exec "$configure" "$@"' - \
    "$folder" "$(realpath --relative-to="$folder" "$root")" "$@"
  printf '%s\n' "$*" > "$stamp"
}

# The optimised build, which `demo` runs and `check` tests; without line numbers, which take a seventh of the time
# to compile. DFRS_CONFIGURE: further options, such as --enable-werror.
configure_optimised() {
  # shellcheck disable=SC2086 # a list of options
  configure_in "$build" --enable-precompiled-headers "CXX=$compiler" "CXXFLAGS=-O2 -g0" "${slurm_options[@]}" ${DFRS_CONFIGURE:-}
}

# What tests are compiled with in that build. Without the optimiser, tests of the policies run for minutes.
test_flags='CXXFLAGS=-O1 -g0'

# Without --enable-werror: under sanitizers g++ warns falsely about uninitialised variables, as its manual says.
# Without checks of each pointer for null and alignment: they take a quarter of the time, and a null pointer crashes
# anyway. Calls of AddressSanitizer's functions compile faster than inline checks.
configure_asan() {
  configure_in "$build_asan" --enable-precompiled-headers --enable-sanitize=address,undefined "CXX=$compiler" \
    "CXXFLAGS=-Og -g1 -fno-sanitize=null,alignment,object-size,vptr --param=asan-instrumentation-with-call-threshold=0"
}
configure_tsan() {
  configure_in "$build_tsan" --enable-precompiled-headers --enable-sanitize=thread "CXX=$compiler" "CXXFLAGS=-Og -g1"
}

build_in() { make -C "$1" -k -j"$jobs" "${@:2}"; }

# Tests use the workload logs of DFRS_TRACES, or those beside the checkout.
find_traces() {
  if [[ -n ${DFRS_TRACES:-} || ! -d $root/../shared/traces ]]; then return; fi
  DFRS_TRACES=$(cd "$root/../shared/traces" && pwd)
  export DFRS_TRACES
}

# make_check FOLDER GOAL [VARIABLE...]: runs the tests of a goal of tests/goals.mk. Each program also writes its cases as
# JSON to FOLDER/results; tests/tally.pl counts these and shows what failed.
make_check() {
  local folder=$1 status=0
  shift
  rm -rf "$folder/results" "$folder/test-suite.log"
  find "$folder" -name '*.trs' -delete
  mkdir -p "$folder/results"
  # Some tests wait: one more at once than there are cores.
  GTEST_OUTPUT=json:$folder/results/ build_in "$folder" -j$((jobs + 1)) "$@" > "$folder/check.log" 2>&1 || status=1
  if (( status != 0 )) && [[ ! -f $folder/test-suite.log ]]; then
    printf 'no tests ran; the end of %s:\n' "$folder/check.log" >&2
    tail -n 60 "$folder/check.log" >&2
  fi
  printf '%s\n' "$status" > "$folder/results-status"
  return "$status"
}

# live ARGUMENT...: the program in tests/live, which needs root
live() {
  local sudo=()
  if [[ $(id -u) != 0 && $1 == test ]]; then
    if sudo -n true 2> /dev/null; then sudo=(sudo); fi  # otherwise the tests skip themselves and say so
  elif [[ $(id -u) != 0 ]]; then
    command -v sudo > /dev/null || die "a cluster needs root (slurmd starts jobs as their users), and there is no sudo"
    sudo=(sudo)
  fi
  ${live_by:-} "${sudo[@]}" env "PYTHONPATH=$root/tests" PYTHONDONTWRITEBYTECODE=1 "DFRS_BUILD_DIR=$build" \
    ${DFRS_SLURM_PREFIX:+"DFRS_SLURM_PREFIX=$DFRS_SLURM_PREFIX"} ${DFRS_PLUGINS_DIR:+"DFRS_PLUGINS_DIR=$DFRS_PLUGINS_DIR"} \
    ${DFRS_SLURM_NEXT_PREFIX:+"DFRS_SLURM_NEXT_PREFIX=$DFRS_SLURM_NEXT_PREFIX"} \
    ${DFRS_NEXT_PLUGINS_DIR:+"DFRS_NEXT_PLUGINS_DIR=$DFRS_NEXT_PLUGINS_DIR"} \
    "$(command -v /usr/bin/python3 || command -v python3)" -m live "$@"
}

# live_tests RESULTS LOGS MEANWHILE [CLASS...]: all live tests, or those of these classes, several classes at once. Shows
# what passed and failed; the rest is in RESULTS with the ending .log. Live tests measure times, so classes that fail run
# once more alone when the process MEANWHILE ('': none) has ended, and that counts. The first logs stay in LOGS-first/.
live_tests() {
  local results=$1 logs=$2 meanwhile=$3 again class status=0
  shift 3
  rm -rf "$logs" "$logs-first"
  : > "$results"
  live_shown "$results" "$logs" --jobs "${DFRS_LIVE_JOBS:-$((jobs + 1))}" "$@" || status=$?
  [[ -z $meanwhile ]] || wait "$meanwhile" || true
  again=$(sed -n 's/^FAIL\tlive: \(test_[a-z_]*\.[A-Za-z0-9]*\).*/\1/p' "$results" | sort -u)
  [[ -n $again ]] || return "$status"
  say "once more, alone: ${again//$'\n'/ }"
  mv "$logs" "$logs-first"
  for class in $again; do sed -i "/\tlive: ${class/./\\.}[.: ]/d" "$results"; done
  # shellcheck disable=SC2086 # a list of names
  live_shown "$results" "$logs" --jobs 1 $again
}

live_shown() {
  local results=$1 logs=$2 log=${1%.tsv}.log status=0
  shift 2
  live test --results "$results" --logs "$logs" "$@" > "$log" 2>&1 || status=$?
  grep -E '^(passed|FAILED): |^  [|] ' "$log" || true
  return "$status"
}
