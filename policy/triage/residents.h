// SPDX-License-Identifier: GPL-2.0-or-later
// Which jobs are on which node. Kept between calls, so that the cost of a decision depends on what it changes and not
// on the size of the cluster.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/core/cluster_state.h"
#include "policy/core/node_runs.h"

namespace dfrs::triage {

class Residents {
 public:
  /// Starts a call: drops jobs that have ended, or on a resync event takes everything from the state. O(changed nodes x
  /// jobs there), on a resync O(nodes + tasks).
  void begin(const ClusterView& view, std::span<const Event> events, const ClusterState& state);
  /// Call placed() after a job is placed, removed() before it leaves its nodes. O(its nodes x jobs there).
  void placed(const ClusterState& state, JobSlot job);
  void removed(const ClusterState& state, JobSlot job);

  /// Jobs that have been placed since begin(), possibly more than once, and possibly removed again.
  std::span<const JobSlot> placed_now() const { return placed_now_; }
  /// The jobs on a node, once each, in submission order.
  std::span<const JobSlot> on(NodeIndex n) const { return on_[n]; }
  /// How often jobs have come to the node or left it.
  std::uint64_t changes(NodeIndex n) const { return changes_[n]; }

 private:
  std::vector<std::vector<JobSlot>> on_;
  std::vector<std::uint64_t> changes_;  // by node
  std::vector<std::uint8_t> ended_;     // by slot; all 0 outside begin()
  std::vector<JobSlot> placed_now_;
  bool known_ = false;
};

}  // namespace dfrs::triage
