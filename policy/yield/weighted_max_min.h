// SPDX-License-Identifier: GPL-2.0-or-later
// Weighted max-min fair yields: y = min(1, lambda w), with the largest lambda that each job's nodes allow.
//
// Lambda rises. A job that reaches 1 is fixed there; a node that is full fixes its remaining jobs. Each node waits at
// the level at which it would be full if no more jobs were fixed. When lambda gets there and jobs have been fixed
// since, the node waits again at a higher level, because these jobs took no more than their share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/yield/cpu_contention.h"
#include "policy/yield/level_queue.h"

namespace dfrs {

class WeightedMaxMinYield {
 public:
  /// Sets yields by index into contention.jobs(), each in (0, 1]; `weights` likewise, each > 0 and finite. With equal
  /// weights the result is that of MaxMinYield up to rounding. O(places (log nodes + jobs of a node)): a node is
  /// visited again after other nodes have fixed some of its jobs.
  void solve(const CpuContention& contention, std::span<const double> weights, std::span<double> yields);

 private:
  /// A job during solve(). One of the values is 0.
  struct Filling {
    double open_weight;  ///< its weight until it is fixed
    double yield;        ///< its yield once it is fixed
  };

  LevelQueue queue_;
  std::vector<Filling> filling_;  // by job
};

}  // namespace dfrs
