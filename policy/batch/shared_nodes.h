// SPDX-License-Identifier: GPL-2.0-or-later
// FCFS/shared and EASY/shared: jobs share nodes but not CPUs. A node takes tasks as long as their full CPU need and
// rigid resources are free. Slurm's backfill with select/cons_tres and CR_Core_Memory does this on most clusters; the
// batch policies of the papers (BackfillPolicy) allocate whole nodes.
//
// Nodes are tried by index, and each is filled before the next. The first job that does not fit gets a reservation. Its
// shadow time is the earliest instant at which it fits by the estimates of the running jobs. A later job may start if
// it fits now, and either ends by the shadow time or leaves what the reservation needs on each node.
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

  /// A pass is O(nodes + running tasks) for the reservation and O(nodes) per waiting job; a job that asks for no less
  /// than one refused in the same pass costs O(1).
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
  /// The free resources of a node.
  struct Free {
    double cpu = 0;
    RigidVector rigid{};
  };

  void reset(const ClusterView& view, const Estimates& estimates, const ClusterState& state);
  void complete(JobSlot job);
  void pass(const ClusterView& view, ClusterState& state, Outcome& outcome);
  void explain_waiting(const ClusterState& state, Seconds shadow) const;
  /// Makes the reservation and returns its shadow time; kNever if the job never fits. `later_` is what the nodes have
  /// left at that time besides the job.
  Seconds reserve(const ClusterView& view, const ClusterState& state, const JobView& head);
  /// Whether all tasks of the job fit now, and with `beside` also next to the reservation. `nodes_` receives their
  /// nodes.
  bool fits(const ClusterState& state, const JobView& job, bool beside);
  bool refused_already(const ClusterState& state, const JobView& job) const;
  void start(const ClusterView& view, ClusterState& state, Outcome& outcome, const Waiting& waiting);

  BatchAlgorithm::Backfill rule_;
  BatchOptions options_;
  std::vector<Waiting> queue_;
  std::vector<Running> running_;         // by expected end
  std::vector<Free> later_;              // by node: at the shadow time
  std::vector<std::uint8_t> released_;   // by node: a job ends there by the shadow time
  std::vector<NodeIndex> nodes_;         // of the job that fits, one per task
  std::vector<const JobView*> refused_;  // jobs that did not fit in this pass
};

}  // namespace dfrs
