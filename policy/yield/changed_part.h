// SPDX-License-Identifier: GPL-2.0-or-later
// The part of a mapping whose max-min yields may have changed since the last look: a job's max-min
// yield (OPT=MIN) depends only on those that it shares overloaded nodes with, directly or through others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/core/cluster_state.h"
#include "policy/yield/contention_group.h"
#include "policy/yield/cpu_contention.h"

namespace dfrs {

class ChangedPart {
 public:
  /// Brings itself up to date with the state and builds `contention` of the part: the jobs that were placed, or whose
  /// nodes have changed where CPU was or is short, and all that are tied to them by overloaded nodes. To be called in
  /// every engine call that touches a job or drops one. All jobs and nodes at the first call, and with `everything`,
  /// which must be set where the call has a resync event.
  ///
  /// O(the part's tasks + tasks of the changed jobs, each times the jobs on its node), and a sort of both.
  void find(const ClusterView& view, std::span<const Event> events, bool everything, const ClusterState& state,
            CpuContention& contention);

 private:
  void take_all(const ClusterState& state);
  void take_changes(std::span<const Event> events, const ClusterState& state);

  std::vector<std::vector<JobSlot>> jobs_on_;  // by node, in submission order
  std::vector<std::uint8_t> overloaded_;       // by node
  // Marks hold the number of the find() that set them.
  std::uint32_t call_ = 0;
  std::vector<std::uint32_t> changed_;  // by slot: is on other nodes than before
  ContentionGroup group_;
};

}  // namespace dfrs
