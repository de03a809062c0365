// SPDX-License-Identifier: GPL-2.0-or-later
// FCFS and EASY (RR-7659, section 5.2): whole nodes in order of submission. EASY lets later jobs jump ahead if that
// does not delay the first waiting job. Both orders, that of the queue and that of jumping ahead, may be others, and
// run times may be predicted (policy/batch/predict) instead of taken from users.
//
// The first job that does not fit gets a reservation. Its shadow time is the earliest instant at which enough nodes are
// free by the estimates; the extra nodes are those that it does not need then. A later job may start if it fits now,
// and either ends by the shadow time or uses extra nodes only.
#pragma once

#include <span>
#include <vector>

#include "policy/batch/algorithm.h"
#include "policy/batch/options.h"
#include "policy/batch/predict/forecast.h"
#include "policy/core/policy.h"

namespace dfrs {

class BackfillPolicy final : public BatchPolicy {
 public:
  BackfillPolicy(const BatchAlgorithm& algorithm, const BatchOptions& options)
      : algorithm_(algorithm), rule_(algorithm.backfill), options_(options), forecast_(algorithm.prediction) {}

  /// On equal nodes O(running) per reservation and O(waiting) per pass; a submission while a reservation stands is
  /// O(1). On unequal nodes, or with eligible sets, a pass is O(waiting x nodes).
  void decide(const ClusterView& view, const Estimates& estimates, std::span<const Event> events, ClusterState& state,
              Outcome& outcome) override;

 private:
  // A running job and its expected end.
  struct Running {
    Seconds end;
    JobSlot job;
    std::uint32_t nodes;
  };
  struct Waiting {
    Seconds estimate;
    JobSlot job;
    std::uint32_t nodes;  ///< nodes that it takes; on unequal nodes, the least number
  };
  struct Reservation {
    bool valid = false;
    Seconds shadow = 0;              ///< earliest start of the first waiting job
    std::uint64_t extra = 0;         ///< on equal nodes: how many are free besides it then
    std::vector<std::uint8_t> held;  ///< on unequal nodes, by node: reserved for it
  };

  void reset(const ClusterView& view, const Estimates& estimates, const ClusterState& state,
             std::span<const Event> events);
  void submit(const ClusterView& view, const Estimates& estimates, const ClusterState& state, JobSlot job);
  Seconds expected_end(const ClusterView& view, const Estimates& estimates, JobSlot job);
  void complete(const ClusterView& view, JobSlot job);
  void correct_outlived(const ClusterView& view);
  void insert_running(const Running& entry);
  void pass(const ClusterView& view, ClusterState& state, Outcome& outcome);
  void backfill(const ClusterView& view, ClusterState& state, Outcome& outcome);
  void explain_waiting(const ClusterState& state) const;
  void reserve(const ClusterView& view, const ClusterState& state);
  void reserve_by_count(Seconds now, const Waiting& head);
  void reserve_by_node(const ClusterView& view, const ClusterState& state, const JobView& head);
  bool fits(const ClusterView& view, const ClusterState& state, const Waiting& w, bool before_shadow);
  void set_idle(NodeIndex n, bool idle) {
    const std::uint64_t bit = std::uint64_t{1} << n % 64;
    idle_[n / 64] = idle ? idle_[n / 64] | bit : idle_[n / 64] & ~bit;
  }
  void start(const ClusterView& view, ClusterState& state, Outcome& outcome, const Waiting& w);

  void sort_queue(const ClusterView& view, const ClusterState& state, std::size_t from, QueueRank rank);

  BatchAlgorithm algorithm_;
  BatchAlgorithm::Backfill rule_;
  BatchOptions options_;
  Forecast forecast_;

  bool uniform_ = true;  // equal nodes and no eligible sets, so counting nodes is enough
  std::vector<Waiting> queue_;
  std::size_t front_ = 0;         // queue_[front_ ...] wait; earlier entries have started
  std::size_t unseen_ = 0;        // queue_[unseen_ ...] arrived after the last pass
  std::vector<Running> running_;  // latest expected end first, so that the next to end is last
  std::uint64_t free_ = 0;        // nodes without a job
  Reservation reservation_;
  std::vector<NodeIndex> room_;       // storage of nodes_
  std::span<const NodeIndex> nodes_;  // of the job that fits, one per task
  std::vector<std::uint64_t> idle_;   // one bit per node: it has no job
  std::vector<std::pair<double, Waiting>> sorting_;
};

}  // namespace dfrs
