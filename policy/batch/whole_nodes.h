// SPDX-License-Identifier: GPL-2.0-or-later
// Whole nodes for batch jobs: which nodes suit a job, and how many of its tasks each takes (RR-7659, section 5.2: one).
#pragma once

#include <cstdint>
#include <span>

#include "policy/core/cluster_state.h"
#include "policy/core/node_runs.h"

namespace dfrs {

/// Whether no job is on the node.
inline bool idle(const ClusterState& state, NodeIndex n) { return state.task_count(n) == 0; }

/// How many of the job's tasks the node takes if the job has it to itself: one, or with `pack_tasks` as many as its
/// rigid resources allow and it can run at full speed, but at least one. 0 if the node does not suit the job.
std::uint32_t tasks_on(const ClusterState& state, const JobView& job, NodeIndex n, bool pack_tasks);

/// The least number of nodes that the job takes. `equal_nodes`: all nodes are alike, so looking at one is enough.
/// O(nodes).
std::uint32_t least_nodes(const ClusterState& state, const JobView& job, bool equal_nodes, bool pack_tasks);

/// Whether the job may use all nodes, given that these are equal.
bool suits_equal_nodes(const ClusterState& state, const JobView& job);

/// The yield of a job that has its nodes to itself: 1, unless one of them is slower than the job needs.
double yield_alone(const ClusterState& state, std::span<const NodeIndex> nodes);

}  // namespace dfrs
