// SPDX-License-Identifier: GPL-2.0-or-later
// Which jobs may be paused or moved, and how (docs: administrator's guide, "Pausing").
//
//   suspend   stopped where it is; its memory goes to swap. Needs, on each of its nodes, swap for its memory that
//             no other job was promised (SuspendNeedsSwap=yes). Nothing is lost.
//   requeue   its run is ended, it starts again later, anywhere. For batch jobs that allow it and either say that they
//             go on from their own checkpoint, or whose partition accepts that work is lost (LostWork=accept).
//
// Suspending is tried first. So that jobs get somewhere, a run must gain MinProgress of virtual time before a
// requeue of ours may end it, and a job that has lost the work of MaxLostRuns runs is not requeued by us again.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "shim/conf/config.h"
#include "shim/controller/job_table.h"
#include "shim/controller/nodes.h"
#include "shim/quota/node_agents.h"

namespace dfrs::shim {

/// Goes on from its own checkpoint: the plugin says so, or its user with the mark in the comment.
bool checkpoints(const Job& job, const Config& config);

/// Whether a requeue of ours may end the present run.
bool may_requeue(const Job& job, const Config& config, Seconds now);

/// Free swap of the nodes, as their agents report it, less what jobs suspended there have yet to put into it; and what
/// the control groups of each job let it have there (ConstrainSwapSpace of Slurm).
class SwapBudget {
 public:
  /// Reads the reports of nodes where jobs of ours are. Nodes whose agent has not answered have no swap.
  void refresh(const JobTable& jobs, const Nodes& nodes, const NodeAgents& agents);
  /// Takes the job's memory out of the budget of its nodes; false, and nothing taken, where it is not there, or not for
  /// this job.
  bool promise(const Job& job);

 private:
  bool may_have(const Job& job) const;

  std::vector<std::int64_t> free_;  // MiB, by node
  std::map<std::pair<NodeIndex, std::uint32_t>, std::uint64_t>
      most_of_job_;  // MiB in all, by node and job; limited ones
};

class PauseRulebook {
 public:
  /// Sets can_suspend and can_requeue of all jobs that hold nodes. `agents` null: no swap is known. The swap of a node
  /// is promised to its running jobs in the order in which a policy likes to pause them (the longest virtual time
  /// first), so that all that may be suspended could be suspended at once. O(jobs log jobs + tasks).
  void apply(JobTable& jobs, const Nodes& nodes, const NodeAgents* agents, const Config& config, Seconds now);
  /// Reports are read again at the next apply().
  void forget() { reports_at_ = -1; }

 private:
  SwapBudget reported_;
  SwapBudget budget_;
  Seconds reports_at_ = -1;
  std::vector<Job*> order_;
};

/// How a running job would be paused now: suspend where possible.
PauseWay pause_way(const Job& job);

/// The flags that the policy sees. Anything may be done with a job without nodes: nothing would be lost.
JobFlags policy_flags(const Job& job);

}  // namespace dfrs::shim
