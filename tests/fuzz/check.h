// SPDX-License-Identifier: GPL-2.0-or-later
// What the fuzzers hold against the readers: bad input is refused by an error of input or usage with a message, never
// by an exception (which would end the fuzzer) and never by a crash; what is accepted keeps its promises.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "sim/errors.h"

namespace dfrs::sim {

/// Ends the program if `holds` is false: a promise of a reader was broken.
inline void require(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: broken promise: %s\n", promise);
  std::abort();
}

/// True for a value, false for a proper error.
template <typename T>
bool accepted(const Result<T>& read) {
  if (read) return true;
  require(read.error().code == kExitInput || read.error().code == kExitUsage,
          "bad input is an error of input or usage");
  require(!read.error().message.empty(), "an error has a message");
  return false;
}

}  // namespace dfrs::sim
