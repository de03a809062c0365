// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the part of a mapping whose max-min yields (OPT=MIN) may have changed since the last call. A job's max-min
// yield depends only on the jobs that share overloaded nodes with it, directly or through others.
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
  /// Updates itself from the state and builds `contention` for the part: the jobs that were placed, the jobs on changed
  /// nodes that are or were overloaded, and all jobs that overloaded nodes tie to these. Call this in every engine call
  /// that touches or drops a job. The first call, and a call with `everything`, which resync events require, takes all
  /// jobs and nodes.
  ///
  /// O(tasks of the part + tasks of the changed jobs x jobs on their nodes), and a sort of both.
  void find(const ClusterView& view, std::span<const Event> events, bool everything, const ClusterState& state,
            CpuContention& contention);

 private:
  void take_all(const ClusterState& state);
  void take_changes(std::span<const Event> events, const ClusterState& state);

  std::vector<std::vector<JobSlot>> jobs_on_;  // by node, in submission order
  std::vector<std::uint8_t> overloaded_;       // by node
  // Marks hold the number of the find() that set them.
  std::uint32_t call_ = 0;
  std::vector<std::uint32_t> changed_;  // by slot: its nodes have changed
  ContentionGroup group_;
};

}  // namespace dfrs
