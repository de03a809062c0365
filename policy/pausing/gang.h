// SPDX-License-Identifier: GPL-2.0-or-later
// Gang scheduling by time slices, as Slurm's sched/gang does it (PreemptMode=GANG,SUSPEND with OverSubscribe=FORCE:k;
// slurm.schedmd.com/gang_scheduling.html) after the matrix of Ousterhout (1982): each row is a set of jobs that run
// side by side with all of their CPU; rows take turns. A suspended job keeps its memory, so it resumes at once.
//
// Jobs take the first row with room, in order of submission; one that finds none of the k rows, or no memory, waits,
// and the next has its turn. Jobs of other rows also run where the row in turn leaves their CPU free. A suspended job
// has a yield of kSuspended, because all placed jobs must have one.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "policy/core/policy.h"
#include "policy/core/refusals.h"

namespace dfrs {

struct GangRule {
  std::size_t rows = 2;  ///< k of FORCE:k, 2 .. 16
  Seconds slice = 30;    ///< SchedulerTimeSlice, > 0
};

class GangPolicy final : public NonClairvoyantPolicy {
 public:
  static constexpr double kSuspended = 1e-9;

  explicit GangPolicy(const GangRule& rule) : rule_(rule) {}
  /// O(rows x nodes + tasks), and O(rows x nodes) per waiting job that asks for less than those refused before.
  void decide(const ClusterView& view, std::span<const Event> events, ClusterState& state, Outcome& outcome) override;

 private:
  /// A set of jobs whose needs fit each node together.
  struct Row {
    std::vector<double> used;  ///< CPU by node
    std::vector<JobSlot> jobs;
  };

  static bool fits(const ClusterState& state, const Row& row, const JobView& job, std::span<const NodeIndex> nodes);
  static void add(Row& row, const JobView& job, std::span<const NodeIndex> nodes);
  void arrange(const ClusterView& view, const ClusterState& state);
  bool place(const ClusterView& view, ClusterState& state, JobSlot job);
  bool find(const ClusterState& state, const JobView& job, const Row& row);
  bool run_row_in_turn(const ClusterView& view, const ClusterState& state, Outcome& outcome);

  GangRule rule_;
  std::vector<Row> rows_;
  std::size_t turn_ = 0;
  Seconds slice_end_ = kNever;
  std::vector<NodeIndex> nodes_;
  Refusals refused_;  // of the jobs placed in this call
};

}  // namespace dfrs
