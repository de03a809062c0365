// SPDX-License-Identifier: GPL-2.0-or-later
// Preemptive earliest deadline first on one machine: it is optimal, and a missed deadline identifies the critical jobs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/core/units.h"

namespace dfrs::sim {

struct EdfJob {
  Seconds release = 0;
  Seconds deadline = 0;
  Seconds length = 0;  ///< processing time on the machine, > 0
  double weight = 1;   ///< lateness counts divided by this, > 0
};

/// Reuses its memory from call to call.
class Edf {
 public:
  /// The critical set of the job with the largest weighted lateness under EDF: jobs (indices in `jobs`, unordered)
  /// whose lengths exceed the time from their first release to their last deadline. Empty if every deadline is met.
  /// `jobs` by release. O(n log n).
  const std::vector<std::uint32_t>& critical_set(std::span<const EdfJob> jobs);

 private:
  struct Slice {
    std::uint32_t job;
    Seconds start;
    Seconds end;
  };

  std::uint32_t run(std::span<const EdfJob> jobs);

  std::vector<Seconds> left_;
  std::vector<std::uint32_t> waiting_;  // heap, earliest deadline in front
  std::vector<Slice> slices_;
  std::vector<bool> counted_;
  std::vector<std::uint32_t> critical_;
};

}  // namespace dfrs::sim
