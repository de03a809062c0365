// SPDX-License-Identifier: GPL-2.0-or-later
// What is free on each node, for checks of placements: memory and exclusive use. CPU is shared and needs no check.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/core/units.h"
#include "shim/controller/nodes.h"

namespace dfrs::shim {

/// Tasks of one job: a node per task, ascending.
struct Footprint {
  std::span<const NodeIndex> nodes;
  std::uint64_t memory_per_task = 0;  ///< MiB
  bool exclusive = false;
};

class MemoryLedger {
 public:
  /// Nothing but foreign jobs on the nodes. O(nodes).
  void reset(const Nodes& nodes);
  /// The job comes, whether there is room or not; its nodes must be of the list. O(tasks).
  void take(const Footprint& job);
  /// A job that was taken goes. O(tasks).
  void give(const Footprint& job);
  /// Memory and exclusive use would hold if the job came too; false for nodes that do not exist. O(tasks).
  bool fits(const Footprint& job) const;
  /// How many tasks of that size (MiB) the node could take; UINT32_MAX: any number. 0 for a node that is overcommitted
  /// or does not exist. O(1).
  std::uint32_t tasks_that_fit(NodeIndex node, std::uint64_t memory_per_task, bool exclusive) const;
  std::size_t nodes() const { return memory_.size(); }
  /// MiB; below 0: overcommitted.
  std::int64_t free_memory(NodeIndex node) const { return memory_[node]; }
  /// Tasks of our jobs there.
  std::uint32_t tasks(NodeIndex node) const { return tasks_[node]; }

 private:
  std::vector<std::int64_t> memory_;      // free, MiB; negative: overcommitted
  std::vector<std::uint32_t> tasks_;      // of our jobs
  std::vector<std::uint32_t> exclusive_;  // of jobs that want the node alone
};

}  // namespace dfrs::shim
