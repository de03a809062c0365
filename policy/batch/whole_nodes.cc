// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/batch/whole_nodes.h"

#include <algorithm>
#include <cmath>

#include "policy/core/compare.h"

namespace dfrs {

std::uint32_t tasks_on(const ClusterState& state, const JobView& job, NodeIndex n, bool pack_tasks) {
  const std::uint32_t fit = state.room_alone(job, n);
  if (fit == 0) return 0;
  if (!pack_tasks) return 1;
  // As many as run at full speed; a node that is too slow even for one still takes one.
  const double by_cpu = std::floor(state.cpu_capacity(n) / job.cpu_need * (1 + kCpuTolerance));
  return static_cast<std::uint32_t>(std::max(1.0, std::min(static_cast<double>(fit), by_cpu)));
}

std::uint32_t least_nodes(const ClusterState& state, const JobView& job, bool equal_nodes, bool pack_tasks) {
  std::uint32_t most = 0;
  const auto nodes =
      static_cast<NodeIndex>(equal_nodes ? std::min<std::size_t>(1, state.node_count()) : state.node_count());
  for (NodeIndex n = 0; n < nodes; ++n) most = std::max(most, tasks_on(state, job, n, pack_tasks));
  return most <= 1 ? job.tasks : (job.tasks + most - 1) / most;
}

bool suits_equal_nodes(const ClusterState& state, const JobView& job) {
  return job.eligible == nullptr && (state.node_count() == 0 || state.room_alone(job, 0) != 0);
}

double yield_alone(const ClusterState& state, std::span<const NodeIndex> nodes) {
  double yield = 1;
  for (NodeIndex n : nodes) yield = std::min(yield, state.cpu_capacity(n) / state.cpu_load(n));
  return yield;
}

}  // namespace dfrs
