#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The policy core is pure: no clock, randomness, environment, threads or input/output. This test reads what the
# core's object files import, and fails on any symbol that is not on the list below; the list names what a pure
# computation may need (memory, containers, strings, exceptions, mathematics). It also reads which headers of the system the
# sources include; tests/includes.py has the rules for our own.
#
# Usage: tests/policy/purity.sh [ARCHIVE [SOURCE_FOLDER]]      exit: 0 pure, 1 not pure, 77 skipped, 99 cannot say
set -euo pipefail
export LC_ALL=C

archive=${1:-libpolicy.a}
sources=${2:-${srcdir:-.}/policy}
nm=${NM:-nm}

if [[ ${DFRS_BUILT_WITH:-} == *[![:space:]]* ]]; then
  echo "SKIP: built with $DFRS_BUILT_WITH, which adds imports of its own"
  exit 77
fi

# Extended regular expressions over whole mangled names, as nm prints them.
allowed=(
  # memory
  '_Zn[wa]m(St11align_val_t)?(RKSt9nothrow_t)?' '_ZSt7nothrow' '_Zd[la]Pv(m)?(St11align_val_t)?'
  'mem(cpy|move|set|cmp|chr)' '__mem(cpy|move|set)_chk' 'strlen|strcmp|strncmp|bcmp'
  # exceptions and what the compiler adds for them and for static objects
  '_Unwind_Resume' '__gxx_personality_v0' '__stack_chk_fail' '_GLOBAL_OFFSET_TABLE_' '__dso_handle'
  '__cxa_(allocate_exception|free_exception|throw|rethrow|throw_bad_array_new_length|begin_catch|end_catch)'
  '__cxa_(atexit|guard_acquire|guard_release|guard_abort|pure_virtual|bad_cast)' '__dynamic_cast' '_ZSt9terminatev'
  '_ZT[IVS]N10__cxxabiv1.*'
  '_ZSt[0-9]+__throw_.*'
  '_ZTIv'  # std::any asks which type it holds
  '_ZT[IVS](St9exception|St9bad_alloc|St(11logic|13runtime|12domain|12length|16invalid_argument|12out_of_range).*)'
  '_ZT[IVS]St(11range_error|14overflow_error|15underflow_error|18bad_variant_access)'
  '_ZN?K?St(9exception|9bad_alloc|11logic_error|13runtime_error|12domain_error|12length_error|16invalid_argument|12out_of_range|11range_error|14overflow_error)[CD][0-2]E.*'
  '_ZNKSt(9exception|9bad_alloc|11logic_error|13runtime_error)4whatEv'
  # containers, strings, conversion of numbers without locale
  '_ZSt(18_Rb_tree_increment|18_Rb_tree_decrement|29_Rb_tree_insert_and_rebalance|28_Rb_tree_rebalance_for_erase).*'
  '_ZNKSt8__detail20_Prime_rehash_policy.*' '_ZNSt8__detail15_List_node_base.*' '_ZSt11_Hash_bytesPKv.*'
  '_ZNK?St7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE.*'
  '_ZSt(8to_chars|10from_chars)Pc.*' '_ZSt10from_charsPKc.*'
  '__libc_single_threaded'  # std::shared_ptr asks it how to count, no more
  '__popcountdi2'  # counts bits, for processors without an instruction for it
  # mathematics
  '(floor|ceil|fmod|sqrt|sin|cos|sincos|pow|exp|exp2|expm1|log|log2|log10|log1p|fabs|fmin|fmax|fma|hypot|cbrt|trunc|round)f?'
  '(lround|llround|ldexp|frexp|modf|remainder|nextafter|copysign)f?'
)
# Headers that have no place in the core even where they import nothing yet.
headers='chrono|random|iostream|istream|ostream|sstream|fstream|iomanip|filesystem|thread|mutex|shared_mutex'
headers+='|condition_variable|future|semaphore|latch|barrier|stop_token|atomic|locale|ctime|cstdio|csignal|syncstream'
headers+='|(time|stdio|unistd|pthread|signal|fcntl|locale|threads|errno)\.h|sys/.*|fmt/(os|chrono|ostream)\.h'
# Names reachable through headers that are allowed.
words='getenv|secure_getenv|setenv|system_clock|steady_clock|high_resolution_clock|random_device|srand|drand48|lrand48|mt19937(_64)?|thread_local'

[[ -f $archive ]] || { echo "ERROR: $archive does not exist; build it first"; exit 99; }
[[ -d $sources ]] || { echo "ERROR: $sources is not a folder"; exit 99; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# "archive:object:address type symbol"; imports have no address
"$nm" -A -u "$archive" > "$work/imports"
"$nm" -A --defined-only "$archive" > "$work/exports"
objects=$(sed -E 's/:[0-9a-f]+ . .*//' "$work/exports" | sort -u | wc -l)
(( objects > 0 )) || { echo "ERROR: $archive defines nothing, so there is nothing to judge"; exit 99; }
awk '{ print $NF }' "$work/exports" | sort -u > "$work/defined"
printf '^(%s)$\n' "${allowed[@]}" > "$work/allowed"

failures=0
# One line per object and symbol that is neither defined in the archive nor allowed.
awk '{ object = $1; sub(/:[0-9a-f]*$/, "", object); sub(/^.*:/, "", object); print $NF, object }' "$work/imports" |
  sort -u > "$work/pairs"
cut -d' ' -f1 "$work/pairs" | sort -u | comm -23 - "$work/defined" | { grep -Evf "$work/allowed" || true; } > "$work/impure"
while read -r symbol object; do
  echo "FAIL: $object imports $(c++filt "$symbol" 2>/dev/null || echo "$symbol") [$symbol]"
  failures=$((failures + 1))
done < <(join "$work/impure" "$work/pairs")

while IFS= read -r line; do
  echo "FAIL: forbidden header: $line"
  failures=$((failures + 1))
done < <(grep -rnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($headers)[>\"]" "$sources" --include='*.h' --include='*.cc' || true)

while IFS= read -r line; do
  echo "FAIL: forbidden name: $line"
  failures=$((failures + 1))
done < <(grep -rnwE "$words" "$sources" --include='*.h' --include='*.cc' | grep -vE '^[^:]*:[0-9]+:[[:space:]]*(//|\*)' || true)

while IFS= read -r line; do
  echo "FAIL: core includes a family: $line"
  failures=$((failures + 1))
done < <(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"policy/' "$sources/core" --include='*.h' --include='*.cc' 2>/dev/null |
  grep -v '"policy/core/' || true)

imports=$(cut -d' ' -f1 "$work/pairs" | sort -u | comm -23 - "$work/defined" | wc -l)
echo "$archive: $objects objects, $imports symbols imported from outside, $failures not allowed"
(( failures == 0 ))
