// SPDX-License-Identifier: GPL-2.0-or-later
// Who is on which node. Kept from call to call, so that a decision costs what it changes and not what there is.
#pragma once

#include <span>
#include <vector>

#include "policy/core/cluster_state.h"
#include "policy/core/node_runs.h"

namespace dfrs::triage {

class Residents {
 public:
  /// At the beginning of a call: those who have ended are gone; after a resync event everything is taken from the
  /// state. O(changed nodes x jobs there), or O(nodes + tasks).
  void begin(const ClusterView& view, std::span<const Event> events, const ClusterState& state);
  /// The job has been placed, or is to be taken from the nodes where it is. O(its nodes x jobs there).
  void placed(const ClusterState& state, JobSlot job);
  void removed(const ClusterState& state, JobSlot job);

  /// Jobs that have been placed since begin(), perhaps more than once or for a while.
  std::span<const JobSlot> placed_now() const { return placed_now_; }
  /// One entry per job, in submission order.
  std::span<const JobSlot> on(NodeIndex n) const { return on_[n]; }

 private:
  std::vector<std::vector<JobSlot>> on_;
  std::vector<std::uint8_t> ended_;  // by slot, for the time of begin()
  std::vector<JobSlot> placed_now_;
  bool known_ = false;
};

}  // namespace dfrs::triage
