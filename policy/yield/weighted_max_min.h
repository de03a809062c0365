// SPDX-License-Identifier: GPL-2.0-or-later
// Max-min fair yields by weights: y = min(1, lambda w), with the largest lambda that each job's nodes allow.
//
// Lambda rises; a job that reaches 1 is fixed there, a node that is full fixes those of its jobs that are left. A node
// waits at the level at which it would be full if no other job were fixed, is looked at when lambda comes there, and
// waits at a higher level where others have been fixed since: they took no more than their share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/yield/cpu_contention.h"
#include "policy/yield/level_queue.h"

namespace dfrs {

class WeightedMaxMinYield {
 public:
  /// Yields by index into contention.jobs(), each in (0, 1]; `weights` likewise, each > 0 and finite. With equal
  /// weights the result is that of MaxMinYield up to rounding. O(places (log nodes + jobs of a node)): a node is looked
  /// at again when others have fixed its jobs.
  void solve(const CpuContention& contention, std::span<const double> weights, std::span<double> yields);

 private:
  /// A job while solve() is at it: one of them is 0.
  struct Filling {
    double open_weight;  ///< its weight until it is fixed
    double yield;        ///< from then on
  };

  LevelQueue queue_;
  std::vector<Filling> filling_;  // by job
};

}  // namespace dfrs
