// SPDX-License-Identifier: GPL-2.0-or-later
// Random choices for property tests: the same on every machine, by a seed that a failing test prints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <utility>
#include <vector>

#include "tests/sanitizers.h"

namespace dfrs::oracle {

class Dice {
 public:
  using Draws = std::vector<std::uint64_t>;

  explicit Dice(std::uint64_t seed) : engine_(seed * 0x9E3779B97F4A7C15ULL + 1) {}

  /// From now on draws are also written to the end of *draws, which must live as long; null: no more.
  void record(Draws* draws) { recorded_ = draws; }
  /// The next draws are these; after the last one, those of a new engine with this seed.
  void replay(Draws draws, std::uint64_t seed) {
    replayed_ = std::move(draws);
    at_ = 0;
    engine_ = Dice(seed).engine_;
  }

  /// 0 .. end - 1, end > 0. By remainder: the distributions of standard libraries differ.
  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(draw() % end); }
  /// low .. high.
  int between(int low, int high) { return low + static_cast<int>(below(static_cast<std::uint32_t>(high - low + 1))); }
  /// True in `percent` of 100 cases.
  bool chance(std::uint32_t percent) { return below(100) < percent; }
  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(draw() >> 11) * 0x1.0p-53; }
  template <typename T>
  const T& pick(const std::vector<T>& from) {
    return from[below(static_cast<std::uint32_t>(from.size()))];
  }

 private:
  std::uint64_t draw() {
    const std::uint64_t value = at_ < replayed_.size() ? replayed_[at_++] : engine_();
    if (recorded_ != nullptr) recorded_->push_back(value);
    return value;
  }

  std::mt19937_64 engine_;
  Draws* recorded_ = nullptr;
  Draws replayed_;
  std::size_t at_ = 0;
};

/// How many cases a property test runs: `full`, fewer under sanitizers, DFRS_TEST_CASES times as many for a long soak.
inline std::uint64_t cases(std::uint64_t full) {
  std::uint64_t count = full;
  if (sanitized()) count = full / 2 + 1;
  if (const char* factor = std::getenv("DFRS_TEST_CASES")) count *= std::strtoull(factor, nullptr, 10);
  return count;
}

}  // namespace dfrs::oracle
