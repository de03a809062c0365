// SPDX-License-Identifier: GPL-2.0-or-later
// How many tasks of a job the nodes could take if some running jobs left. The cluster's state stays as it is: to look
// for jobs that could make room, thousands are tried, of which a few go.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "policy/core/cluster_state.h"
#include "policy/triage/reservation.h"

namespace dfrs::triage {

/// Which room counts.
struct RoomTerms {
  NodeIndex lane = 0;                   ///< on nodes below this
  const Reservation* beside = nullptr;  ///< and beside what is reserved; null: all memory counts
  double most_load = kNever;            ///< up to this load with the job, relative to the node's capacity
};

class RoomCount {
 public:
  /// Counts the room for the job as the cluster is. Both must stay until the last call of enough() or the others.
  /// O(nodes).
  void begin(const ClusterState& state, const JobView& job, const RoomTerms& terms);

  /// Whether there is room for all tasks of the job.
  bool enough() const { return total_ >= job_->tasks; }

  /// Whether none of these nodes has room. Then to put a job back there changes nothing that is counted. O(nodes).
  bool none_at(std::span<const NodeIndex> nodes) const {
    return std::all_of(nodes.begin(), nodes.end(), [this](NodeIndex n) { return room_[n] == 0; });
  }

  /// As if another job left its nodes. O(its tasks). The state may also lose it afterwards, but no other job may
  /// change.
  void without(const JobView& other, std::span<const NodeIndex> nodes);
  /// As if it came back.
  void with(const JobView& other, std::span<const NodeIndex> nodes);

 private:
  NodeContents& contents(NodeIndex n);
  std::uint32_t room_at(NodeIndex n) const;
  void count(NodeIndex n);

  const ClusterState* state_ = nullptr;
  const JobView* job_ = nullptr;
  RoomTerms terms_;
  std::uint64_t total_ = 0;
  std::vector<std::uint32_t> room_;     // by node
  std::vector<NodeIndex> counted_;      // all nodes whose room_ is not 0, and others
  std::vector<NodeContents> contents_;  // by node: as if jobs had left, if changed_
  std::vector<std::uint8_t> changed_;   // by node
  std::vector<NodeIndex> changes_;      // all nodes that are changed_
};

}  // namespace dfrs::triage
