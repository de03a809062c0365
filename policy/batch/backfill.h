// SPDX-License-Identifier: GPL-2.0-or-later
// FCFS and EASY (RR-7659, section 5.2): whole nodes, in order of submission; EASY lets later jobs jump
// ahead where the first waiting job's reservation is not delayed.
//
// The first job that does not fit gets a reservation: the shadow time is the earliest time at which enough nodes will
// be free by the estimates, the extra nodes those that it will not need then. A later job may start if it fits now and
// ends by the shadow time, or uses extra nodes only.
#pragma once

#include <span>
#include <vector>

#include "policy/batch/algorithm.h"
#include "policy/batch/options.h"
#include "policy/core/policy.h"

namespace dfrs {

class BackfillPolicy final : public BatchPolicy {
 public:
  BackfillPolicy(BatchAlgorithm::Backfill rule, const BatchOptions& options) : rule_(rule), options_(options) {}

  /// O(running) per reservation + O(waiting) per pass on equal nodes; submissions that meet a standing reservation
  /// cost O(1). On unequal nodes, or with eligible sets, a pass is O(waiting x nodes).
  void decide(const ClusterView& view, const Estimates& estimates, std::span<const Event> events, ClusterState& state,
              Outcome& outcome) override;

 private:
  // A running job and when it should end.
  struct Running {
    Seconds end;
    JobSlot job;
    std::uint32_t nodes;
  };
  struct Waiting {
    Seconds estimate;
    JobSlot job;
    std::uint32_t nodes;  ///< that it takes; on unequal nodes the least it may take
  };
  struct Reservation {
    bool valid = false;
    Seconds shadow = 0;              ///< earliest start of the first waiting job
    std::uint64_t extra = 0;         ///< nodes it leaves then (equal nodes)
    std::vector<std::uint8_t> held;  ///< by node: it counts on this one (unequal nodes)
  };

  void reset(const ClusterView& view, const Estimates& estimates, const ClusterState& state);
  void submit(const ClusterView& view, const Estimates& estimates, const ClusterState& state, JobSlot job);
  void complete(JobSlot job);
  void pass(const ClusterView& view, ClusterState& state, Outcome& outcome);
  void backfill(const ClusterView& view, ClusterState& state, Outcome& outcome);
  void reserve(const ClusterView& view, const ClusterState& state);
  void reserve_by_count(Seconds now, const Waiting& head);
  void reserve_by_node(const ClusterView& view, const ClusterState& state, const JobView& head);
  bool fits(const ClusterView& view, const ClusterState& state, const Waiting& w, bool before_shadow);
  void set_idle(NodeIndex n, bool idle) {
    const std::uint64_t bit = std::uint64_t{1} << n % 64;
    idle_[n / 64] = idle ? idle_[n / 64] | bit : idle_[n / 64] & ~bit;
  }
  std::uint32_t most_tasks_on_a_node(const ClusterState& state, const JobView& job) const;
  void start(const ClusterView& view, ClusterState& state, Outcome& outcome, const Waiting& w);

  BatchAlgorithm::Backfill rule_;
  BatchOptions options_;

  bool uniform_ = true;  // equal nodes and no eligible sets: counting nodes is enough
  std::vector<Waiting> queue_;
  std::size_t front_ = 0;         // queue_[front_ ...] wait; those before are gone
  std::size_t unseen_ = 0;        // queue_[unseen_ ...] came after the last pass
  std::vector<Running> running_;  // by expected end, the last first: those who leave are at the vector's end
  std::uint64_t free_ = 0;        // nodes without a job
  Reservation reservation_;
  std::vector<NodeIndex> room_;       // for the nodes of the job that fits
  std::span<const NodeIndex> nodes_;  // these, one per task
  std::vector<std::uint64_t> idle_;   // a bit per node: it has no job
};

}  // namespace dfrs
