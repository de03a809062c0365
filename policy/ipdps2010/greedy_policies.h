// SPDX-License-Identifier: GPL-2.0-or-later
// GREEDY, GREEDY-PMTN and GREEDY-PMTN-MIGR (IPDPS 2010, section III.A). They place jobs like RR-7659's Greedy, but have
// their own rules for when to try jobs that are not running.
#pragma once

#include <vector>

#include "policy/core/policy.h"
#include "policy/ipdps2010/backoff.h"
#include "policy/ipdps2010/lowest_need.h"
#include "policy/mcb8/priority.h"
#include "policy/rr7659/greedy.h"
#include "policy/rr7659/greedy_pause.h"

namespace dfrs::ipdps2010 {

/// Sets the yields of all three, whenever jobs have started, ended or moved.
class GreedyYields {
 public:
  /// Appends the changed yields to the outcome. As LowestNeed::solve().
  void set(const ClusterView& view, const ClusterState& state, Outcome& outcome);

 private:
  CpuContention contention_;
  LowestNeed rule_;
  std::vector<double> yields_;
};

/// GREEDY: a job starts when it is submitted if there is memory for it. Otherwise it is tried again after 2, 4, 8 ..
/// 4096 s, even if room becomes free in between.
class GreedyBackoff final : public NonClairvoyantPolicy {
 public:
  /// At one instant, completions come first, then the jobs that are due, then submissions. A resync tries all waiting
  /// jobs at once, as if they were new, because the view does not show failed attempts.
  void decide(const ClusterView& view, std::span<const Event> events, ClusterState& state, Outcome& outcome) override;

 private:
  void attempt(const ClusterView& view, ClusterState& state, JobSlot job);

  Greedy greedy_;
  Backoff backoff_;
  GreedyYields yields_;
  std::vector<JobSlot> due_;
};

/// GREEDY-PMTN and, with Victims::move, GREEDY-PMTN-MIGR: running jobs are paused so that a new job can start at once.
/// Every submission and completion tries the paused jobs by decreasing priority. With Victims::move these include the
/// jobs that the same event has paused: one that finds room elsewhere has been moved.
class GreedyPausePolicy final : public NonClairvoyantPolicy {
 public:
  GreedyPausePolicy(Victims victims, const PriorityRule& rule) : victims_(victims), rule_(rule) {}

  void decide(const ClusterView& view, std::span<const Event> events, ClusterState& state, Outcome& outcome) override;

 private:
  void resume(const ClusterView& view, ClusterState& state);

  Victims victims_;
  PriorityRule rule_;
  Greedy greedy_;
  GreedyPause pauser_;
  GreedyYields yields_;
  std::vector<RankedJob> paused_;
};

}  // namespace dfrs::ipdps2010
