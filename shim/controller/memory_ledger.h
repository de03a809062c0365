// SPDX-License-Identifier: GPL-2.0-or-later
// Free memory and exclusive use of each node, to check placements. CPU is shared and needs no check.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/core/units.h"
#include "record/story/story.h"
#include "shim/controller/job.h"
#include "shim/controller/job_table.h"
#include "shim/controller/nodes.h"

namespace dfrs::shim {

/// What the tasks of one job take. `nodes`: one per task, ascending.
struct Footprint {
  std::span<const NodeIndex> nodes;
  std::uint64_t memory_per_task = 0;  ///< MiB
  bool exclusive = false;
};

/// The footprint of the job on `nodes`, which must outlive it.
inline Footprint footprint(const Job& job, std::span<const NodeIndex> nodes) {
  return {nodes, job.facts.memory_per_task, job.facts.exclusive};
}

class MemoryLedger {
 public:
  /// Starts over with foreign jobs only. O(nodes).
  void reset(const Nodes& nodes);
  /// Adds the job, even where memory is short; its nodes must exist. O(tasks).
  void take(const Footprint& job);
  /// Removes a job that was added. O(tasks).
  void give(const Footprint& job);
  /// Whether memory and exclusive use allow the job beside the others. False if a node does not exist. O(tasks).
  bool fits(const Footprint& job) const;
  /// How many tasks of that size (MiB) the node can take; UINT32_MAX: any number. 0 for a node that is overcommitted or
  /// does not exist. O(1).
  std::uint32_t tasks_that_fit(NodeIndex node, std::uint64_t memory_per_task, bool exclusive) const;
  std::size_t nodes() const { return memory_.size(); }
  /// MiB; negative: overcommitted.
  std::int64_t free_memory(NodeIndex node) const { return memory_[node]; }
  /// Number of tasks of our jobs on the node.
  std::uint32_t tasks(NodeIndex node) const { return tasks_[node]; }

 private:
  std::vector<std::int64_t> memory_;      // free, MiB; negative: overcommitted
  std::vector<std::uint32_t> tasks_;      // of our jobs
  std::vector<std::uint32_t> exclusive_;  // of jobs that want the node alone
};

/// What the jobs leave that run or are to run. O(jobs + nodes + tasks).
MemoryLedger ledger_of_desired(const JobTable& jobs, const Nodes& nodes);

/// The room for a job on the nodes that it may use; `here`: on those where it is. O(nodes).
record::FreeRoom room_for(const Job& job, bool here, const Nodes& nodes, const MemoryLedger& ledger);

}  // namespace dfrs::shim
