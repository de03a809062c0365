#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Test of the test: purity.sh must name every impure import of small objects made for it, with the object, and must
# let a pure one pass that uses containers, strings, exceptions and mathematics.
set -euo pipefail

if [[ ${DFRS_BUILT_WITH:-} == *[![:space:]]* ]]; then
  echo "SKIP: purity.sh says nothing about builds with $DFRS_BUILT_WITH"
  exit 77
fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
read -ra cxx <<< "${CXX:-g++ -std=c++20}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# archive NAME: compiles standard input to an archive in a folder of its own
archive() {
  mkdir -p "$work/$1/empty"
  cat > "$work/$1/$1.cc"
  "${cxx[@]}" -std=c++20 -O1 -c "$work/$1/$1.cc" -o "$work/$1/$1.o"
  ar cr "$work/$1/lib.a" "$work/$1/$1.o"
}
# expect_impure NAME TEXT: purity.sh exits 1 and its report has TEXT
expect_impure() {
  local report status=0
  report=$("$here/purity.sh" "$work/$1/lib.a" "${3:-$work/$1/empty}") || status=$?
  if [[ $status != 1 ]] || ! grep -qF "$2" <<< "$report"; then
    printf 'FAIL: %s: expected exit 1 and "%s"; exit was %s, report:\n%s\n' "$1" "$2" "$status" "$report"
    failures=$((failures + 1))
  fi
}
expect_pure() {
  local report status=0
  report=$("$here/purity.sh" "$work/$1/lib.a" "$work/$1/empty") || status=$?
  if [[ $status != 0 ]]; then
    printf 'FAIL: %s: expected exit 0; exit was %s, report:\n%s\n' "$1" "$status" "$report"
    failures=$((failures + 1))
  fi
}

archive clock <<< '#include <ctime>
double now() { timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return static_cast<double>(t.tv_sec); }'
expect_impure clock 'FAIL: clock.o imports clock_gettime [clock_gettime]'

archive chrono <<< '#include <chrono>
long now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }'
expect_impure chrono 'FAIL: chrono.o imports std::chrono::_V2::steady_clock::now()'

archive random <<< '#include <cstdlib>
int any() { return rand(); }'
expect_impure random 'FAIL: random.o imports rand [rand]'

archive environment <<< '#include <cstdlib>
const char* home() { return std::getenv("HOME"); }'
expect_impure environment 'FAIL: environment.o imports getenv [getenv]'

archive files <<< '#include <cstdio>
bool there() { std::FILE* f = std::fopen("x", "r"); return f != nullptr; }'
expect_impure files 'FAIL: files.o imports fopen'

archive streams <<< '#include <iostream>
void say() { std::cout << 1.5; }'
expect_impure streams 'FAIL: streams.o imports std::cout'

archive threads <<< '#include <thread>
void run() { std::thread([] {}).join(); }'
expect_impure threads 'FAIL: threads.o imports std::thread::join()'

archive locks <<< '#include <pthread.h>
void lock(pthread_mutex_t* m) { pthread_mutex_lock(m); }'
expect_impure locks 'FAIL: locks.o imports pthread_mutex_lock [pthread_mutex_lock]'

archive pure <<< '#include <algorithm>
#include <cmath>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>
double compute(std::vector<double> v, const std::string& name) {
  if (v.empty()) throw std::invalid_argument("nothing in " + name);
  std::sort(v.begin(), v.end());
  std::map<std::string, double> m;
  std::set<int> s;
  std::list<int> l;
  std::unordered_map<std::string, int> u;
  m[name] = std::sqrt(v.back()) + std::floor(v.at(v.size() / 2)) + std::fmod(v[0], 3);
  s.insert(static_cast<int>(v.size()));
  l.push_back(2);
  u[name] = 1;
  auto p = std::make_shared<double>(m.begin()->second);
  return *p + *s.begin() + l.front() + u.size();
}'
expect_pure pure

# Headers and names are read from the sources, whatever the objects import.
mkdir "$work/pure/sources"
printf '// <chrono> in a comment is no include\n#include <vector>\n' > "$work/pure/sources/a.h"
status=0
"$here/purity.sh" "$work/pure/lib.a" "$work/pure/sources" > /dev/null || status=$?
if [[ $status != 0 ]]; then echo "FAIL: allowed headers were reported"; failures=$((failures + 1)); fi
printf '#include <chrono>\n' > "$work/pure/sources/b.h"
expect_impure pure 'b.h:1:#include <chrono>' "$work/pure/sources"
printf 'const char* p = getenv("X");\n' > "$work/pure/sources/b.h"
expect_impure pure 'b.h:1:const char* p = getenv("X");' "$work/pure/sources"

# An archive with nothing in it proves nothing.
ar cr "$work/empty.a"
status=0
"$here/purity.sh" "$work/empty.a" "$work/clock/empty" > /dev/null || status=$?
if [[ $status != 99 ]]; then echo "FAIL: an empty archive gave exit $status, expected 99"; failures=$((failures + 1)); fi

echo "$failures failures"
(( failures == 0 ))
