// SPDX-License-Identifier: GPL-2.0-or-later
// Yields of DYNMCB8-STRETCH-PER (IPDPS 2010, section III.B): the lowest estimated stretch that all jobs can have, then
// what CPU is left goes where it lowers the average estimate most.
#pragma once

#include <vector>

#include "policy/yield/rule.h"
#include "policy/yield/stretch.h"

namespace dfrs::ipdps2010 {

class LowestStretch final : public YieldRule {
 public:
  /// First the yields at the largest inverse stretch s that every node has the CPU for; a job that needs less than 0.01
  /// for it gets 0.01, one that needs more than 1 gets 1 and lets the others go on. Then, again and again, of the jobs
  /// with CPU left on each of their nodes the one whose estimate falls most per CPU, given as much more as it can
  /// have. The paper names the aim of this second step and not its rule; this is the heuristic for the average yield
  /// with the estimate in the yield's place. O(nodes x users x 64 + jobs^2 x places).
  void solve(const CpuContention& contention, const ClusterView& view, Seconds horizon,
             std::span<double> yields) override;
  bool follows_progress() const override { return true; }

 private:
  std::vector<StretchEstimate> estimates_;
  std::vector<double> left_;  // by node
};

}  // namespace dfrs::ipdps2010
