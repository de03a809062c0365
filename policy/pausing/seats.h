// SPDX-License-Identifier: GPL-2.0-or-later
// Whole nodes for the jobs that come first in an order, with pauses: what schedulers that pause but do not share have
// in common. A node serves one job at a time, and a job needs a node per task (RR-7659, section 5.2).
#pragma once

#include <span>
#include <vector>

#include "policy/core/policy.h"

namespace dfrs {

class Seats {
 public:
  /// Goes through `order`, all jobs in the system. A job that is not placed takes free nodes, and the nodes of jobs
  /// behind it in the order, which are paused: as few jobs as are needed, the last of the order first. One that finds
  /// too few is left out, and the next has its turn. A job that has just lost its nodes still has its own turn. Nodes
  /// of jobs that may not be paused stay theirs. Sets the yields of jobs that are placed. O(jobs) and O(jobs + nodes)
  /// per job that could be placed by the number of free nodes.
  void assign(const ClusterView& view, std::span<const JobSlot> order, ClusterState& state, Outcome& outcome);

 private:
  struct Holder {
    std::size_t rank = 0;  // in the order
    JobSlot job = kNoSlot;
    std::uint32_t gain = 0;  // nodes that suit the job in turn
    bool leaves = false;
  };
  static constexpr std::size_t kNobody = ~std::size_t{0};

  bool make_room(const ClusterView& view, ClusterState& state, std::size_t rank, JobSlot job);
  bool suits(const ClusterState& state, const JobView& job, NodeIndex n) const;

  std::vector<Holder> holders_;  // running jobs that may be paused, by rank
  std::vector<NodeIndex> nodes_;
};

}  // namespace dfrs
