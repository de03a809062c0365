// SPDX-License-Identifier: GPL-2.0-or-later
// FCFS, SJF and LJF with conservative backfilling on full schedules (Streit 2003, sections 1 and 5; Feitelson and Weil,
// IPPS/SPDP 1998).
//
// A new job gets the earliest start that delays no job planned before it. When a job ends, all waiting jobs are planned
// again in the order of the policy. With `compress`, each job instead moves in turn to the earliest start that the
// others leave it. Then no job starts later than planned at its submission, as long as no job outlasts its estimate.
#pragma once

#include <vector>

#include "policy/batch/options.h"
#include "policy/batch/planning_policy.h"
#include "policy/core/algorithm.h"

namespace dfrs {

struct ConservativeAlgorithm {
  QueueOrder order = QueueOrder::fcfs;
  bool compress = false;
};

/// The algorithm with its name: "FCFS/conservative", "SJF/conservative/compress", ...
Algorithm named(const ConservativeAlgorithm& algorithm);

/// Cost: one placement in the plan per submission; at each end of a job, one per waiting job, with `compress` two. See
/// AvailabilityProfile for the cost on equal nodes, NodeProfile on unequal ones, where every call plans all jobs again.
class ConservativePolicy final : public PlanningPolicy {
 public:
  ConservativePolicy(const ConservativeAlgorithm& algorithm, const BatchOptions& options)
      : PlanningPolicy(options), algorithm_(algorithm) {}

 private:
  void step(const ClusterView& view, const Estimates& estimates, std::span<const Event> events, ClusterState& state,
            Outcome& outcome) override;
  void compress(const ClusterView& view, const ClusterState& state);

  ConservativeAlgorithm algorithm_;
  PlanningQueue::QueueChanges changes_;
  Timetable timetable_;  // of the current plan
  Plan plan_;
  std::vector<JobSlot> started_;
};

}  // namespace dfrs
