// SPDX-License-Identifier: GPL-2.0-or-later
// OPT=MIN: iterated maximisation of the minimum yield, that is, max-min fair yields (RR-7659, section 4.6).
#pragma once

#include <span>
#include <vector>

#include "policy/yield/cpu_contention.h"

namespace dfrs {

class MaxMinYield {
 public:
  /// Sets yields by index into contention.jobs(), each in (0, 1]. Progressive filling: the node with the lowest fair
  /// share fixes the yields of its jobs, then the next, until the lowest share would be 1. The first share is 1 /
  /// max(1, Lambda). O(places log nodes).
  void solve(const CpuContention& contention, std::span<double> yields);

 private:
  struct Entry {
    double share;
    std::uint32_t node;
  };
  std::vector<Entry> heap_;
  std::vector<double> open_need_;      // by node: CPU need of jobs not fixed yet
  std::vector<double> open_capacity_;  // by node: capacity not given to fixed jobs
};

}  // namespace dfrs
