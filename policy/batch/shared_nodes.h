// SPDX-License-Identifier: GPL-2.0-or-later
// FCFS/shared and EASY/shared: jobs share nodes but not CPUs. A node takes tasks as long as their full CPU need and
// rigid resources are free. Slurm's backfill with select/cons_tres and CR_Core_Memory does this on most clusters; the
// batch policies of the papers (BackfillPolicy) allocate whole nodes.
//
// Nodes are tried by index, and each is filled before the next. The first job that does not fit gets a reservation. Its
// shadow time is the earliest instant at which it fits by the estimates of the running jobs. A later job may start if
// it fits now, and either ends by the shadow time or leaves what the reservation needs on each node.
//
// With `jobs_a_core` k above 1 cores are oversubscribed: a node takes tasks as long as their CPU needs add up to at
// most k times its CPU, and jobs there share it max-min fairly. This is Slurm's OverSubscribe=FORCE:k without gang
// scheduling, and the oversubscription of Minami, Endo and Nomura (HPC Asia 2023). Memory is never shared. As in Slurm,
// a job first looks for CPU of its own, then for CPU shared by two jobs, and so on; estimates are not stretched.
//
// The order of the queue and that of jumping ahead may be others, and run times may be predicted, as with whole nodes
// (policy/batch/ranked_family.cc).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "policy/batch/algorithm.h"
#include "policy/batch/options.h"
#include "policy/batch/predict/forecast.h"
#include "policy/core/policy.h"
#include "policy/core/refusals.h"
#include "policy/yield/cpu_contention.h"
#include "policy/yield/max_min.h"

namespace dfrs {

class SharedNodesPolicy final : public BatchPolicy {
 public:
  SharedNodesPolicy(const BatchAlgorithm& algorithm, const BatchOptions& options, std::uint32_t jobs_a_core = 1)
      : algorithm_(algorithm), options_(options), jobs_a_core_(jobs_a_core), forecast_(algorithm.prediction) {}

  /// A pass is O(nodes + running tasks) for the reservation, and O(nodes) per waiting job that starts or asks for less
  /// than those refused in the same pass. The others cost O(shapes refused).
  void decide(const ClusterView& view, const Estimates& estimates, std::span<const Event> events, ClusterState& state,
              Outcome& outcome) override;

 private:
  struct Running {
    Seconds end;       ///< by the expected run time
    Seconds expected;  ///< run time
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

  void reset(const ClusterView& view, const Estimates& estimates, const ClusterState& state,
             std::span<const Event> later);
  void submit(const ClusterView& view, const Estimates& estimates, JobSlot job);
  void complete(const ClusterView& view, JobSlot job);
  Running resumed(const ClusterView& view, const Estimates& estimates, JobSlot job);
  void correct_outlived(const ClusterView& view);
  void sort_queue(const ClusterView& view, const ClusterState& state, std::size_t from, QueueRank rank);
  void pass(const ClusterView& view, ClusterState& state, Outcome& outcome);
  void explain_waiting(const ClusterState& state, Seconds shadow) const;
  /// Makes the reservation and returns its shadow time; kNever if the job never fits. `later_` is what the nodes have
  /// left at that time besides the job.
  Seconds reserve(const ClusterView& view, const ClusterState& state, const JobView& head);
  /// Whether all tasks of the job fit now, and with `beside` also next to the reservation. `nodes_` receives their
  /// nodes.
  bool fits(const ClusterState& state, const JobView& job, bool beside);
  /// The same on nodes whose needs add up to at most `level` times their CPU.
  bool fits_at(const ClusterState& state, const JobView& job, bool beside, std::uint32_t level);
  double most_cpu(const ClusterState& state, NodeIndex n) const { return state.cpu_capacity(n) * jobs_a_core_; }
  void share_cpu(const ClusterView& view, const ClusterState& state, Outcome& outcome);
  void start(const ClusterView& view, ClusterState& state, Outcome& outcome, const Waiting& waiting);

  BatchAlgorithm algorithm_;
  BatchOptions options_;
  std::uint32_t jobs_a_core_;
  Forecast forecast_;
  CpuContention contention_;
  MaxMinYield max_min_;
  std::vector<double> yields_;
  std::vector<Waiting> queue_;
  std::vector<std::pair<double, Waiting>> sorting_;
  std::vector<Running> running_;        // by expected end
  std::vector<Free> later_;             // by node: at the shadow time
  std::vector<std::uint8_t> released_;  // by node: a job ends there by the shadow time
  std::vector<NodeIndex> nodes_;        // of the job that fits, one per task
  Refusals refused_;                    // in this pass
  Refusals refused_beside_;             // in this pass, beside the reservation
};

}  // namespace dfrs
