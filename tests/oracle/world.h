// SPDX-License-Identifier: GPL-2.0-or-later
// The cluster as the reference implementation sees it: plain vectors, every sum recomputed from the placements each
// time it is asked for. Nothing here is fast, and nothing is shared with the policy core but the input types.
#pragma once

#include <vector>

#include "policy/core/decision.h"
#include "policy/core/view.h"

namespace dfrs::oracle {

struct WorldJob {
  JobState state = JobState::absent;
  JobFlags flags;
  std::uint32_t tasks = 1;
  double cpu_need = 1;
  RigidVector rigid{};
  Seconds submit = 0;
  const NodeSet* eligible = nullptr;
  double virtual_time = 0;
  std::vector<NodeIndex> nodes;  ///< where it is placed, ascending; empty if it is not
  std::vector<NodeIndex> home;   ///< the only nodes it may use (may_not_move, after its first start)

  bool placed() const { return !nodes.empty(); }
};

struct World {
  Seconds now = 0;
  std::vector<NodeView> nodes;
  std::size_t dims = 1;
  std::vector<WorldJob> jobs;  ///< by slot
  std::vector<JobSlot> order;  ///< jobs in the system, in submission order
  Seconds flow_floor = 0;      ///< of the priority: 0 in RR-7659, 30 s in IPDPS 2010

  Seconds flow_time(JobSlot job) const;
  /// Flow time / (virtual time)^2 (rule 6).
  double priority(JobSlot job) const;
  /// Jobs by decreasing priority, ties by submission order.
  std::vector<JobSlot> by_priority(std::vector<JobSlot> jobs_in_order) const;

  int tasks_on(JobSlot job, NodeIndex n) const;
  /// Sum of the CPU needs of all tasks on the node.
  double load(NodeIndex n) const;
  /// True if the node could take one more task of `job`, which has `already` some tasks elsewhere or here.
  bool takes(JobSlot job, const std::vector<NodeIndex>& already, NodeIndex n) const;
};

/// Brings `order`, the jobs in the system in submission order, up to date with the events of a call. True if it is made
/// again from the view: after a resync, or in the first call.
bool follow(std::vector<JobSlot>& order, const ClusterView& view, std::span<const Event> events, bool first);

/// What a view shows. `order`: the jobs in the system in submission order.
World world_of(const ClusterView& view, const std::vector<JobSlot>& order);

/// Nodes by slot once the decisions are carried out.
std::vector<std::vector<NodeIndex>> placements_after(const ClusterView& view, const Decisions& decisions,
                                                     const std::vector<JobSlot>& order);

}  // namespace dfrs::oracle
