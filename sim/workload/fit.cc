// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/fit.h"

#include <fmt/format.h>

#include <algorithm>

namespace dfrs::sim {

PlatformFit::PlatformFit(const Platform& platform) : rigid_dims_(platform.rigid_dims) {
  for (const NodeSpec& node : platform.nodes) {
    largest_cpu_ = std::max(largest_cpu_, node.cpu);
    const auto found =
        std::find_if(groups_.begin(), groups_.end(), [&](const Group& group) { return group.node == node; });
    if (found == groups_.end()) {
      groups_.push_back({node, 1});
    } else {
      ++found->count;
    }
  }
}

RigidAmount PlatformFit::room_for(const Job& job) const {
  RigidAmount room = 0;
  for (const Group& group : groups_) {
    RigidAmount per_node = job.tasks;
    for (std::size_t d = 0; d < rigid_dims_; ++d) {
      if (job.rigid[d] <= 0) continue;
      // Skips the division for one-task jobs, which are the most frequent.
      if (per_node > 1) {
        per_node = std::min(per_node, group.node.rigid[d] / job.rigid[d]);
      } else if (group.node.rigid[d] < job.rigid[d]) {
        per_node = 0;
      }
    }
    room += per_node * static_cast<RigidAmount>(group.count);
  }
  return room;
}

std::string PlatformFit::why_not(const Job& job) const {
  if (!cpu_fits(job.cpu_need, largest_cpu_)) {
    return fmt::format("a task needs {} of a node's CPU and the largest node has {}", job.cpu_need, largest_cpu_);
  }
  const RigidAmount room = room_for(job);
  if (room >= job.tasks) return {};
  return fmt::format("{} tasks of {} MiB each, but only {} such tasks fit on the machine at once", job.tasks,
                     job.rigid[kMemory], room);
}

}  // namespace dfrs::sim
