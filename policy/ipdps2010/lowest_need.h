// SPDX-License-Identifier: GPL-2.0-or-later
// The average-yield heuristic of IPDPS 2010, section III.A: equal yields, then the CPU that is left goes to the jobs
// that need least.
#pragma once

#include <vector>

#include "policy/yield/rule.h"

namespace dfrs::ipdps2010 {

class LowestNeed final : public YieldRule {
 public:
  /// Every job gets 1 / max(1, Lambda), the highest yield that all can have; Lambda is the largest load of a node
  /// relative to its capacity. Then, repeatedly, the job with the lowest total CPU need that has CPU left on all of its
  /// nodes gets as much more as fits; ties go to the earlier submission. No yield ever falls, so a single pass over the
  /// jobs by increasing need suffices. O(jobs log jobs + places).
  void solve(const CpuContention& contention, const ClusterView& view, Seconds horizon,
             std::span<double> yields) override;
  bool follows_progress() const override { return false; }

 private:
  std::vector<double> left_;  // by node
  struct Ranked {
    double need;
    std::uint32_t job;
  };
  std::vector<Ranked> order_;
};

}  // namespace dfrs::ipdps2010
