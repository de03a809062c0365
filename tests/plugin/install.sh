#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `make install` of the Slurm plugins: they find their library where it is installed, export only what they should,
# and replace older ones instead of overwriting them, which would crash a slurmctld that has them
# mapped.
set -euo pipefail

if [[ ! -f plugin/select_cons_tres.so ]]; then
  echo 'SKIP: the Slurm plugins are not built (./configure --with-slurm-src=DIR)'
  exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { printf 'FAIL: %s\n' "$1"; exit 1; }
install() {
  "${MAKE:-make}" DESTDIR="$work" libdir=/lib install-dfrslibPROGRAMS install-slurmpluginPROGRAMS > "$work/log" 2>&1 ||
    { cat "$work/log"; fail "make install"; }
}

exported() { "${NM:-nm}" -D --defined-only "$1" | awk '$2 != "w" { print $3 }'; }

install
plugins=$work/lib/dfrs/slurm
for name in priority_multifactor.so sched_dfrs.so sched_backfill.so select_cons_tres.so; do
  [[ -f $plugins/$name ]] || fail "$name is not installed"
  needs=$(ldd "$plugins/$name")
  [[ $needs == *"libdfrs_controller.so => $plugins/../libdfrs_controller.so"* ]] ||
    { printf '%s\n' "$needs"; fail "$name does not find its library"; }
  # priority_multifactor.so exports all that Slurm's own source of it does.
  if [[ $name != priority_multifactor.so ]] &&
      exported "$plugins/$name" | grep -vE '^(init|fini|plugin_(id|name|type|version)|(select|sched)_p_\w+)$'; then
    fail "$name exports more than Slurm asks for"
  fi
done
stock=(/usr/lib/*/slurm-wlm/priority_multifactor.so)
if [[ -f ${stock[0]} ]] && comm -13 <(exported "${stock[0]}" | sort) <(exported "$plugins/priority_multifactor.so" | sort) |
    grep .; then
  fail "priority_multifactor.so exports more than Slurm's own"
fi
# Slurm's own thread calls it, too, and two threads at once would free memory twice (plugin/saving.h).
if "${NM:-nm}" -D --undefined-only "$plugins/sched_dfrs.so" | grep -w dump_all_job_state; then
  fail "sched_dfrs.so saves jobs itself"
fi
if exported "$work/lib/dfrs/libdfrs_controller.so" | grep -v '^dfrs_'; then
  fail "libdfrs_controller.so exports more than its C interface"
fi

before=$(stat -c %i "$plugins"/*.so "$work/lib/dfrs"/*.so)
exec 3< "$plugins/select_cons_tres.so"  # as a slurmctld holds it
sum=$(md5sum < "$plugins/select_cons_tres.so")
touch plugin/select_cons_tres.so
install
[[ $(stat -c %i "$plugins"/*.so "$work/lib/dfrs"/*.so) != "$before" ]] || fail "files are written over in place"
[[ $(md5sum <&3) == "$sum" ]] || fail "the file that is in use has changed"
echo ok
