// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/fit.h"

#include <fmt/format.h>

#include <algorithm>

#include "policy/compare.h"

namespace dfrs::sim {

PlatformFit::PlatformFit(const Platform& platform) : rigid_dims_(platform.rigid_dims) {
  for (const NodeSpec& node : platform.nodes) {
    const auto found =
        std::find_if(groups_.begin(), groups_.end(), [&](const Group& group) { return group.node == node; });
    if (found == groups_.end()) {
      groups_.push_back({node, 1});
    } else {
      ++found->count;
    }
  }
}

std::string PlatformFit::why_not(const Job& job) const {
  double largest_cpu = 0;
  RigidAmount room = 0;  // tasks that fit, never counted beyond what the job has per node
  for (const Group& group : groups_) {
    largest_cpu = std::max(largest_cpu, group.node.cpu);
    RigidAmount per_node = job.tasks;
    for (std::size_t d = 0; d < rigid_dims_; ++d) {
      if (job.rigid[d] > 0) per_node = std::min(per_node, group.node.rigid[d] / job.rigid[d]);
    }
    room += per_node * static_cast<RigidAmount>(group.count);
  }
  if (!cpu_fits(job.cpu_need, largest_cpu)) {
    return fmt::format("a task needs {} of a node's CPU and the largest node has {}", job.cpu_need, largest_cpu);
  }
  if (room >= job.tasks) return {};
  return fmt::format("{} tasks of {} MiB each, but only {} such tasks fit on the machine at once", job.tasks,
                     job.rigid[kMemory], room);
}

}  // namespace dfrs::sim
