// SPDX-License-Identifier: GPL-2.0-or-later
// FCFS and EASY where jobs share nodes without sharing CPUs: a node takes tasks as long as it has all of their CPU need
// and rigid resources left. What Slurm's backfill with select/cons_tres and CR_Core_Memory does on most clusters; the
// papers' batch policies (BackfillPolicy) give whole nodes.
//
// Names: FCFS/shared, EASY/shared. Nodes are tried by index, each filled before the next. The first job that does not
// fit has a reservation: the shadow time is the earliest at which it fits by the estimates of the running jobs. A later
// job may start if it fits now, and either ends by the shadow time or leaves the reservation what it counts on, node by
// node.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/batch/algorithm.h"
#include "policy/batch/options.h"
#include "policy/core/policy.h"

namespace dfrs {

class SharedNodesPolicy final : public BatchPolicy {
 public:
  SharedNodesPolicy(BatchAlgorithm::Backfill rule, const BatchOptions& options) : rule_(rule), options_(options) {}

  /// A pass is O(nodes + tasks running) for the reservation and O(nodes) per waiting job that may fit; a job no smaller
  /// than one that has just been refused costs O(1).
  void decide(const ClusterView& view, const Estimates& estimates, std::span<const Event> events, ClusterState& state,
              Outcome& outcome) override;

 private:
  struct Running {
    Seconds end;  ///< by the estimate
    JobSlot job;
  };
  struct Waiting {
    Seconds estimate;
    JobSlot job;
  };
  /// What a node has left.
  struct Free {
    double cpu = 0;
    RigidVector rigid{};
  };

  void reset(const ClusterView& view, const Estimates& estimates, const ClusterState& state);
  void complete(JobSlot job);
  void pass(const ClusterView& view, ClusterState& state, Outcome& outcome);
  /// The shadow time, kNever if the job never fits; `later_` is then what is left of the nodes beside it.
  Seconds reserve(const ClusterView& view, const ClusterState& state, const JobView& head);
  /// Whether all tasks of the job fit now (`beside`: and fit beside the reservation, too); their nodes are in `nodes_`.
  bool fits(const ClusterState& state, const JobView& job, bool beside);
  bool refused_already(const ClusterState& state, const JobView& job) const;
  void start(const ClusterView& view, ClusterState& state, Outcome& outcome, const Waiting& waiting);

  BatchAlgorithm::Backfill rule_;
  BatchOptions options_;
  std::vector<Waiting> queue_;
  std::vector<Running> running_;         // by expected end
  std::vector<Free> later_;              // by node
  std::vector<std::uint8_t> released_;   // by node: a job ends there by the shadow time
  std::vector<NodeIndex> nodes_;         // of the job that fits, one per task
  std::vector<const JobView*> refused_;  // in this pass, for want of room now
};

}  // namespace dfrs
