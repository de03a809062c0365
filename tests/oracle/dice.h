// SPDX-License-Identifier: GPL-2.0-or-later
// Random choices for property tests: the same on every machine, by a seed that a failing test prints.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include "tests/sanitizers.h"

namespace dfrs::oracle {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed * 0x9E3779B97F4A7C15ULL + 1) {}

  /// 0 .. end - 1, end > 0. By remainder: the distributions of standard libraries differ.
  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(engine_() % end); }
  /// low .. high.
  int between(int low, int high) { return low + static_cast<int>(below(static_cast<std::uint32_t>(high - low + 1))); }
  /// True in `percent` of 100 cases.
  bool chance(std::uint32_t percent) { return below(100) < percent; }
  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }
  template <typename T>
  const T& pick(const std::vector<T>& from) {
    return from[below(static_cast<std::uint32_t>(from.size()))];
  }

 private:
  std::mt19937_64 engine_;
};

/// How many cases a property test runs: `full`, fewer under sanitizers, DFRS_TEST_CASES times as many for a long soak.
inline std::uint64_t cases(std::uint64_t full) {
  std::uint64_t count = full;
  if (sanitized()) count = full / 2 + 1;
  if (const char* factor = std::getenv("DFRS_TEST_CASES")) count *= std::strtoull(factor, nullptr, 10);
  return count;
}

}  // namespace dfrs::oracle
