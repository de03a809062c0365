// SPDX-License-Identifier: GPL-2.0-or-later
// Whole nodes for batch jobs: which suit a job, and how many of its tasks each takes (RR-7659, section 5.2: a node per
// task).
#pragma once

#include <cstdint>
#include <span>

#include "policy/core/cluster_state.h"
#include "policy/core/node_runs.h"

namespace dfrs {

/// No job is on the node.
inline bool idle(const ClusterState& state, NodeIndex n) { return state.task_count(n) == 0; }

/// How many of the job's tasks the node takes if it is the job's alone: one, or with `pack_tasks` as many as it has
/// rigid resources for and can run at full speed (at least one). 0 if it does not suit.
std::uint32_t tasks_on(const ClusterState& state, const JobView& job, NodeIndex n, bool pack_tasks);

/// The yield of a job that is placed on nodes of its own: 1, unless one of them is slower than it needs.
double yield_alone(const ClusterState& state, std::span<const NodeIndex> nodes);

}  // namespace dfrs
