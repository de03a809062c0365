// SPDX-License-Identifier: GPL-2.0-or-later
// Max-min fair yields by weights: y = min(1, lambda w), with the largest lambda that each job's nodes allow.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/yield/sharing.h"

namespace dfrs {

class WeightedMaxMinYield {
 public:
  /// Yields by index into sharing.jobs(), each in (0, 1]; `weights` likewise, each > 0 and finite. Progressive filling:
  /// lambda rises; a job that reaches 1 is fixed there, a node that is full fixes those of its jobs that are left. With
  /// equal weights the result is that of MaxMinYield up to rounding. O(jobs log jobs + places
  /// (log nodes + jobs of a node)): a node is looked at again when others have fixed its jobs.
  void solve(const Sharing& sharing, std::span<const double> weights, std::span<double> yields);

 private:
  struct Entry {
    double level;  ///< lambda at which the node is full
    std::uint32_t node;
  };
  void sink(std::size_t at);

  std::vector<Entry> heap_;
  std::vector<std::uint32_t> by_cap_;  // jobs by the lambda at which their yield is 1
};

}  // namespace dfrs
