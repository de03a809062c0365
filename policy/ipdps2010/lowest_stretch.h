// SPDX-License-Identifier: GPL-2.0-or-later
// The yields of DYNMCB8-STRETCH-PER (IPDPS 2010, section III.B): the lowest estimated stretch that all jobs can have,
// then the CPU that is left goes where it lowers the average estimate most.
#pragma once

#include <vector>

#include "policy/yield/rule.h"
#include "policy/yield/stretch.h"

namespace dfrs::ipdps2010 {

class LowestStretch final : public YieldRule {
 public:
  /// First, yields follow from the largest inverse stretch s for which every node has enough CPU. A job that would need
  /// less than 0.01 gets 0.01; one that would need more than 1 gets 1 and does not hold back the others. Then,
  /// repeatedly, the job with CPU left on all of its nodes whose estimate falls most per unit of CPU gets as much more
  /// as fits. The paper states the aim of this second step but not its rule; this is its heuristic for the average
  /// yield, applied to the estimate. O(nodes x users x 64 + jobs^2 x places).
  void solve(const CpuContention& contention, const ClusterView& view, Seconds horizon,
             std::span<double> yields) override;
  bool follows_progress() const override { return true; }

 private:
  std::vector<StretchEstimate> estimates_;
  std::vector<double> left_;  // by node
};

}  // namespace dfrs::ipdps2010
