// SPDX-License-Identifier: GPL-2.0-or-later
// The DFRS algorithms of RR-7659, section 4.5: which mapping rule acts at submissions, completions and ticks, and how
// yields are set afterwards. The parts have files of their own; this one only decides when to call each.
#pragma once

#include <memory>
#include <vector>

#include "policy/core/policy.h"
#include "policy/mcb8/repack.h"
#include "policy/rr7659/algorithm.h"
#include "policy/rr7659/greedy.h"
#include "policy/rr7659/greedy_pause.h"
#include "policy/rr7659/options.h"
#include "policy/yield/average.h"
#include "policy/yield/average_stretch.h"
#include "policy/yield/changed_part.h"
#include "policy/yield/cpu_contention.h"
#include "policy/yield/max_min.h"
#include "policy/yield/rule.h"
#include "policy/yield/stretch.h"

namespace dfrs {

class DfrsPolicy final : public NonClairvoyantPolicy {
 public:
  DfrsPolicy(const DfrsAlgorithm& algorithm, const DfrsOptions& options);
  /// The same mapping rules, with `yields` in place of the algorithm's objective. In a repack for stretch, a job that
  /// cannot meet a target counts as running at full speed (Repack::OutOfReach).
  DfrsPolicy(const DfrsAlgorithm& algorithm, const DfrsOptions& options, std::unique_ptr<YieldRule> yields);

  void decide(const ClusterView& view, std::span<const Event> events, ClusterState& state, Outcome& outcome) override;

 private:
  bool tick_due(Seconds now, bool resync);
  void set_next_tick(Seconds now);
  void start_opportunistically(const ClusterView& view, ClusterState& state, std::size_t arrivals);
  void admit(const ClusterView& view, ClusterState& state, JobSlot job);
  void repack(const ClusterView& view, ClusterState& state, bool tick);
  void set_yields(const ClusterView& view, std::span<const Event> events, bool everything, const ClusterState& state,
                  Outcome& outcome);
  void solve(const ClusterView& view);
  void solve_stretch(const ClusterView& view);
  bool yields_follow_progress() const;
  Seconds to_next_tick(Seconds now) const;

  DfrsAlgorithm algorithm_;
  Seconds period_;
  PriorityRule rule_;
  bool ticks_apart_;
  std::unique_ptr<YieldRule> yield_rule_;  // null: the algorithm's objective

  Seconds next_tick_ = kNever;  // kNever while the cluster is empty

  Greedy greedy_;
  GreedyPause pauser_;
  Repack repack_;
  ChangedPart part_;
  CpuContention contention_;
  MaxMinYield max_min_;
  AverageYield average_;
  AverageStretch average_stretch_;
  std::vector<RankedJob> waiting_;
  std::vector<double> yields_;
  std::vector<StretchEstimate> estimates_;
};

}  // namespace dfrs
