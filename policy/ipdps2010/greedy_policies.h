// SPDX-License-Identifier: GPL-2.0-or-later
// GREEDY, GREEDY-PMTN and GREEDY-PMTN-MIGR (IPDPS 2010, section III.A). Where a job goes is RR-7659's Greedy; what is
// theirs is when jobs are tried that are not running.
#pragma once

#include <vector>

#include "policy/core/policy.h"
#include "policy/ipdps2010/backoff.h"
#include "policy/ipdps2010/lowest_need.h"
#include "policy/mcb8/priority.h"
#include "policy/rr7659/greedy.h"
#include "policy/rr7659/greedy_preempt.h"

namespace dfrs::ipdps2010 {

/// The yields of the three, set whenever jobs have come, gone or changed places.
class GreedyYields {
 public:
  void set(const ClusterView& view, const ClusterState& state, Outcome& outcome);

 private:
  CpuContention contention_;
  LowestNeed rule_;
  std::vector<double> yields_;
};

/// GREEDY: a job starts when it is submitted if there is memory for it, else it is tried again after 2, 4, 8 .. 4096 s,
/// whatever becomes free meanwhile.
class GreedyBackoff final : public NonClairvoyantPolicy {
 public:
  /// Of one instant, completions come first, then jobs whose time has come, then submissions. After a resync all
  /// waiting jobs are tried at once, as if new: failed attempts are nowhere to be seen.
  void decide(const ClusterView& view, std::span<const Event> events, ClusterState& state, Outcome& outcome) override;

 private:
  void attempt(const ClusterView& view, ClusterState& state, JobSlot job);

  Greedy greedy_;
  Backoff backoff_;
  GreedyYields yields_;
  std::vector<JobSlot> due_;
};

/// GREEDY-PMTN and, with Victims::move, GREEDY-PMTN-MIGR: a new job always starts, others are paused for it; paused
/// ones are tried at every submission and completion, by decreasing priority. With Victims::move those paused at this
/// very event are among them: one that finds room elsewhere has been moved.
class GreedyPreemption final : public NonClairvoyantPolicy {
 public:
  GreedyPreemption(Victims victims, const PriorityRule& rule) : victims_(victims), rule_(rule) {}

  void decide(const ClusterView& view, std::span<const Event> events, ClusterState& state, Outcome& outcome) override;

 private:
  void resume(const ClusterView& view, ClusterState& state);

  Victims victims_;
  PriorityRule rule_;
  Greedy greedy_;
  GreedyPreempt preempt_;
  GreedyYields yields_;
  std::vector<RankedJob> paused_;
};

}  // namespace dfrs::ipdps2010
