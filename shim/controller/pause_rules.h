// SPDX-License-Identifier: GPL-2.0-or-later
// Which jobs may be paused or moved, and how (docs: administrator's guide, "Pausing").
//
//   suspend   stopped where it is; its memory goes to swap, and nothing is lost. Needs, on each of its nodes, swap that
//             is not promised to another job (SuspendNeedsSwap=yes).
//   checkpoint
//             its processes are written to files, then its run is ended; the next one goes on from the files, on any
//             nodes (checkpoints.h). For jobs whose users have marked them (CriuMark), that may be requeued, and that
//             the agents of all their nodes find able.
//   requeue   its run is ended, and it starts again later, on any nodes. For batch jobs that allow it and either
//   declare
//             checkpoints of their own or are in a partition that accepts lost work (LostWork=accept).
//
// Suspending comes first, then a checkpoint. To ensure progress, a run must gain MinProgress of virtual time before we
// may checkpoint or requeue it, and
// a job that has lost the work of MaxLostRuns runs is not requeued again.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "policy/core/swap_budget.h"
#include "shim/conf/config.h"
#include "shim/controller/job_table.h"
#include "shim/controller/nodes.h"
#include "shim/controller/throttle.h"
#include "shim/controller/timing.h"
#include "shim/quota/node_agents.h"

namespace dfrs::shim {

/// The rules of the job's partition.
const PauseRules& pause_rules_of(const Job& job, const Config& config);

/// Whether the job continues from its own checkpoint: the plugin says so, or the mark in its comment.
bool checkpoints(const Job& job, const Config& config);

/// Whether PauseBy=checkpoint applies to the job: by the rules of its partition, and the mark in its comment.
bool checkpointable(const Job& job, const Config& config);

/// Whether all of its tasks are on one node.
bool on_one_node(const Job& job);

/// Whether we may checkpoint the present run; true throughout an attempt.
bool may_checkpoint(const Job& job, const Config& config, Seconds now);

/// Whether we may end the present run by a requeue.
bool may_requeue(const Job& job, const Config& config, Seconds now);

/// Free swap of the nodes, as their agents report it, less what jobs suspended there have yet to put into it; and what
/// the control groups of each job let it have there (ConstrainSwapSpace of Slurm).
class ReportedSwap {
 public:
  /// Reads the reports of nodes with our jobs, and every kIdleReportInterval those of all others. Nodes whose agent has
  /// not answered count as having no swap.
  void refresh(const JobTable& jobs, const Nodes& nodes, const NodeAgents& agents, Seconds now);
  /// Nodes have other indices now.
  void forget_nodes() { idle_.clear(); }
  /// MiB of each node.
  const SwapBudget& free() const { return free_; }
  /// Whether the control groups of the job let it have swap for all of its memory.
  bool may_have(const Job& job) const;

 private:
  SwapBudget free_;
  std::vector<RigidAmount> idle_;  // free swap of each node as last read
  Throttle read_all_{kIdleReportInterval};
  std::map<std::pair<NodeIndex, std::uint32_t>, std::uint64_t>
      most_of_job_;  // MiB in all, by node and job; limited ones
};

class PauseRulebook {
 public:
  /// Sets what pauses do to each job, and can_suspend and can_requeue of all jobs that hold nodes. `agents` null: no
  /// swap is known. Running jobs get swap promised by the rule of policy/core/swap_budget.h, so that there is swap
  /// enough to suspend all of them at once. O(jobs log jobs + tasks).
  void apply(JobTable& jobs, const Nodes& nodes, const NodeAgents* agents, const Config& config, Seconds now);
  /// The next apply() reads the reports again.
  void forget() { read_reports_.reset(); }
  /// So it does, of all nodes, because they have other indices.
  void forget_nodes() {
    reported_.forget_nodes();
    forget();
  }

 private:
  void promise_swap(Seconds now);
  // Jobs for which there is no swap are seen as ones that are never suspended.
  void see_lack_of_swap(JobTable& jobs, const Config& config);

  ReportedSwap reported_;
  Throttle read_reports_{kReportInterval};
  std::vector<Job*> may_suspend_;  // if there is swap
  std::vector<SwapClaim> claims_;  // of these
  SwapBudget left_;                // of the swap, once it is promised to these
};

/// How the job would be paused now: by a suspend where possible.
PauseWay pause_way(const Job& job);

/// How its run would be ended now, for a move; none: that is no longer possible.
PauseWay way_to_leave(const Job& job);

/// The flags that the policy sees. A job without nodes has nothing to lose and allows everything.
JobFlags policy_flags(const Job& job);

}  // namespace dfrs::shim
