// SPDX-License-Identifier: GPL-2.0-or-later
// The average-yield heuristic of IPDPS 2010, section III.A: equal yields, then what CPU is left goes to the job that
// wants least.
#pragma once

#include <vector>

#include "policy/yield/rule.h"

namespace dfrs::ipdps2010 {

class LowestNeed final : public YieldRule {
 public:
  /// Every job gets 1 / max(1, Lambda), Lambda the largest load of a node relative to its capacity: the highest yield
  /// that all can have. Then, again and again, of the jobs that have CPU left on each of their nodes the one with the
  /// lowest CPU need in total, the earlier submission on ties, is given as much more as it can have. No yield is ever
  /// lowered, so that one look at each job, by increasing need, does all of it. O(jobs log jobs + places).
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
