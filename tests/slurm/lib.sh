# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Versions of Slurm other than the installed one: where their upstream tarballs are, and where their builds are kept.
# To be sourced after tests/setup.sh.
upstream_versions=(23.11.11 24.11.5 25.05.8 25.11.7 26.05.3)
slurm_build_packages=(libmunge-dev libdbus-1-dev libhwloc-dev libhttp-parser-dev libjson-c-dev libjwt-dev liblz4-dev
  libmariadb-dev libpmix-dev xz-utils bzip2)

# slurm_tarball VERSION: prints its path; fails if it is not there. SLURM_TARBALLS: the folder to look in.
slurm_tarball() {
  local version=$1 folder name
  for folder in ${SLURM_TARBALLS:+"$SLURM_TARBALLS"} "$root/../shared/slurm"; do
    for name in "slurm-${version//./-}-1.tar.xz" "slurm-$version.tar.bz2"; do
      if [[ -r $folder/$name ]]; then realpath "$folder/$name"; return; fi
    done
  done
  return 1
}

# Where builds stay: outside the checkout, so that each is made once. The user slurm must reach them, and it does not reach
# root's home. DFRS_SLURM_BUILDS: another folder.
slurm_builds() {
  local cache=${XDG_CACHE_HOME:-$HOME/.cache}
  if [[ $(id -u) == 0 ]]; then cache=/var/cache; fi
  printf '%s\n' "${DFRS_SLURM_BUILDS:-$cache/dfrs/slurm}"
}

# slurm_prefix VERSION: the folder where a build of it is, or would be
slurm_prefix() { printf '%s/%s\n' "$(slurm_builds)" "$1"; }

slurm_is_built() { [[ -f $(slurm_prefix "$1")/complete ]]; }

# slurm_headers TARBALL FOLDER: unpacks the source into FOLDER/source, and writes FOLDER/include/slurm/slurm_version.h, as
# Slurm's own ./configure would. Enough to compile the plugins.
slurm_headers() {
  local tarball=$1 folder=$2 number
  rm -rf "$folder"
  mkdir -p "$folder/source" "$folder/include/slurm"
  tar -xf "$tarball" -C "$folder/source" --strip-components=1
  number=$(awk '/^[ \t]*(Major|Minor|Micro):/ { printf "%02x", $2 }' "$folder/source/META")
  sed "s/^#undef SLURM_VERSION_NUMBER.*/#define SLURM_VERSION_NUMBER 0x$number/" \
    "$folder/source/slurm/slurm_version.h.in" > "$folder/include/slurm/slurm_version.h"
}

# slurm_build VERSION[-SANITIZER]: builds and installs it below its prefix, if that has not been done. About 4 minutes on two
# cores. SANITIZER: address or thread, which then watches all of its programs.
slurm_build() (
  version=${1%%-*} flags='-O1 -g1'
  prefix=$(slurm_prefix "$1")
  if slurm_is_built "$1"; then exit 0; fi
  if [[ $1 == *-* ]]; then
    flags+=" -fsanitize=${1#*-} -fno-omit-frame-pointer"
    if [[ $1 == *-address ]]; then flags+=' -fsanitize-recover=address'; fi
    export ASAN_OPTIONS=detect_leaks=0 # of what runs as a part of the build
  fi
  tarball=$(slurm_tarball "$version") || die "no tarball of Slurm $version: put slurm-${version//./-}-1.tar.xz into a folder
and name that in SLURM_TARBALLS"
  mkdir -p "$(slurm_builds)"
  exec 9> "$prefix.lock"
  flock 9
  if slurm_is_built "$1"; then exit 0; fi
  say "building Slurm $1 (log: $prefix.log); it is kept in $prefix"
  work=$(mktemp -d "$(slurm_builds)/build-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  rm -rf "$prefix"
  tar -xf "$tarball" -C "$work" --strip-components=1
  pmix=$(pkg-config --variable=prefix pmix 2> /dev/null) || pmix=
  # --sysconfdir: nothing may find a configuration there; test clusters name theirs. --enable-multiple-slurmd: as Debian
  # does; otherwise several nodes on one host take each other's credentials for replays. Neither contribs nor docs.
  run "$prefix.log" bash -ec 'cd "$1"
    ./configure --prefix="$2" --sysconfdir="$2/etc" --enable-multiple-slurmd --disable-slurmrestd --disable-x11 \
      --without-rpath ${4:+"--with-pmix=$4"} CC="${SLURM_CC:-gcc}" CFLAGS="$5"
    make -s -C src -j"$3"
    make -s -C src install
    mkdir -p "$2/include/slurm"
    cp slurm/*.h "$2/include/slurm/"' - "$work" "$prefix" "$jobs" "$pmix" "$flags" || exit 1
  : > "$prefix/complete"
)

# slurm_plugins VERSION SOURCE HEADERS: compiles the plugins for a version, without a warning, into out/slurm/VERSION/, and
# a test of what they read from its structures, which runs. SOURCE: its source, a folder or a tarball; HEADERS: the folder
# with slurm/slurm_version.h. The C++ side is the same for all versions: it is taken from build/, which must be complete.
slurm_plugins() {
  local version=$1 source=$2 headers=$3 folder=$out/slurm/$1
  configure_in "$folder" --enable-werror "CXX=$compiler" "--with-slurm-src=$source" "--with-slurm-headers=$headers"
  mkdir -p "$folder/plugin"
  cp "$build/plugin/libdfrs_controller.so" "$folder/plugin/"
  say "compiling the plugins for Slurm $version (log: ${folder#"$root"/}/make.log)"
  run "$folder/make.log" make -C "$folder" -j"$jobs" -o plugin/libdfrs_controller.so \
    plugin/priority_multifactor.so plugin/sched_dfrs.so plugin/sched_backfill.so plugin/select_cons_tres.so \
    plugin/spank_dfrs.so tests/plugin/sched_driver.so tests/plugin/marks_test || return 1
  run "$folder/marks_test.log" "$folder/tests/plugin/marks_test"
}

# slurm_symbols FOLDER PREFIX: whether all symbols that the plugins of a build folder import are exported by the Slurm below
# PREFIX ("" for the installed one): by its slurmctld, or by slurmstepd for the SPANK plugin, and by their libraries. Names
# those that are not.
slurm_symbols() {
  local plugins=$1/plugin prefix=${2:-/usr} library status=0
  library=$(find "$prefix"/lib*/ -name libslurmfull.so 2> /dev/null | head -n 1) || true
  [[ -n $library ]] || { printf 'there is no libslurmfull.so below %s\n' "$prefix"; return 1; }
  symbols_of slurmctld "$prefix/sbin/slurmctld" "$library" "$plugins/libdfrs_controller.so" -- \
    "$plugins"/{priority_multifactor,sched_dfrs,sched_backfill,select_cons_tres}.so "$1/tests/plugin/sched_driver.so" || status=1
  symbols_of slurmstepd "$prefix/sbin/slurmstepd" "$library" -- "$plugins/spank_dfrs.so" || status=1
  return "$status"
}

# symbols_of NAME EXPORTER... -- PLUGIN...: names what the plugins import and nobody exports
symbols_of() {
  local name=$1 missing
  shift
  missing=$(not_exported "$@")
  [[ -z $missing ]] || { printf '%s does not export: %s\n' "$name" "${missing//$'\n'/ }"; return 1; }
}

# not_exported EXPORTER... -- PLUGIN...: prints what the plugins import, and neither these nor the plugins' libraries export
not_exported() {
  local exporters=()
  while [[ $1 != -- ]]; do exporters+=("$1"); shift; done
  shift
  { nm -D --undefined-only "$@" | awk '$1 == "U" { sub(/@.*/, "", $2); print $2 }' | sort -u
    { if (( ${#exporters[@]} > 0 )); then nm -D --defined-only "${exporters[@]}"; fi
      # shellcheck disable=SC2046 # the C library and its like
      nm -D --defined-only $(ldd "$@" | awk '$3 ~ /^\// { print $3 }' | sort -u); } |
      awk 'NF == 3 { sub(/@.*/, "", $3); print $3 }' | sort -u | sed 'p'
  } | sort | uniq -u
}

# slurm_imports FOLDER: what the plugins of a build folder import from Slurm, as lines "slurmctld NAME" or "slurmstepd NAME"
slurm_imports() {
  local plugins=$1/plugin
  { not_exported "$plugins/libdfrs_controller.so" -- \
      "$plugins"/{priority_multifactor,sched_dfrs,sched_backfill,select_cons_tres}.so "$1/tests/plugin/sched_driver.so" |
      sed 's/^/slurmctld /'
    not_exported -- "$plugins/spank_dfrs.so" | sed 's/^/slurmstepd /'
  } | LC_ALL=C sort
}

# The symbols that were imported and found in a build of each version, by slurm_symbols: with them imports are checked
# where there is no build. tests/slurm/check keeps them up to date.
slurm_exports() { printf '%s/tests/slurm/exports/%s\n' "$root" "$1"; }

# slurm_exported VERSION FOLDER: whether that version is known to export all that the plugins of a build folder import
slurm_exported() {
  local missing list
  list=$(slurm_exports "$1")
  missing=$(LC_ALL=C comm -23 <(slurm_imports "$2") <(if [[ -f $list ]]; then cat "$list"; fi))
  [[ -z $missing ]] || {
    printf 'not known to be exported by Slurm %s: %s\n' "$1" "${missing//$'\n'/, }"
    printf '"./quickstart check --slurm %s" looks for them in a build, and keeps what it finds\n' "$1"
    return 1
  }
}

# What shows in a few minutes whether dfrs works on a version: sharing, placement, quotas, suspend, requeue, arrays, a
# killed slurmctld, and the replay of a record.
smoke_classes=(test_pausing.Suspending test_record.Recording test_faults.Slurmctld test_sharing.Sharing
  test_select.Placement test_select.Alone test_quotas.Quotas test_pausing.Requeuing test_jobs.Kinds
  test_checkpoints.Checkpointing)

# smoke_tests RESULTS LOGS [MEANWHILE]: a process that compiles meanwhile; see live_tests
smoke_tests() {
  live_tests "$1" "$2" "${3:-}" "${smoke_classes[@]}" || true
  grep -q '^PASS' "$1" && ! grep -q '^FAIL' "$1"
}
