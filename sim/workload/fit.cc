// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

RigidAmount PlatformFit::room_on(const NodeSpec& node, const Job& job) const {
  RigidAmount per_node = job.tasks;
  for (std::size_t d = 0; d < rigid_dims_; ++d) {
    if (job.rigid[d] <= 0) continue;
    // Skips the division for one-task jobs, which are the most frequent.
    if (per_node > 1) {
      per_node = std::min(per_node, node.rigid[d] / job.rigid[d]);
    } else if (node.rigid[d] < job.rigid[d]) {
      per_node = 0;
    }
  }
  return per_node;
}

RigidAmount PlatformFit::room_for(const Job& job) const {
  RigidAmount room = 0;
  for (const Group& group : groups_) room += room_on(group.node, job) * static_cast<RigidAmount>(group.count);
  return room;
}

bool PlatformFit::fits_at_full_speed(const Job& job) const {
  RigidAmount room = 0;
  for (const Group& group : groups_) {
    // A node that is too slow even for one task still takes one, as batch policies see it.
    const double by_cpu = std::max(1.0, std::floor(group.node.cpu / job.asked() * (1 + kCpuTolerance)));
    const double tasks = std::min(static_cast<double>(room_on(group.node, job)), by_cpu);
    room += static_cast<RigidAmount>(tasks) * static_cast<RigidAmount>(group.count);
  }
  return room >= job.tasks;
}

tl::expected<void, std::string> PlatformFit::check(const Job& job) const {
  if (!cpu_fits(job.cpu_need, largest_cpu_)) {
    return tl::unexpected(
        fmt::format("a task needs {} of a node's CPU and the largest node has {}", job.cpu_need, largest_cpu_));
  }
  const RigidAmount room = room_for(job);
  if (room >= job.tasks) return {};
  std::string others;  // GPUs in what comes from accounting
  for (std::size_t d = kMemory + 1; d < rigid_dims_; ++d) {
    if (job.rigid[d] > 0) others += fmt::format(" and {} of resource {}", job.rigid[d], d);
  }
  return tl::unexpected(fmt::format("{} tasks of {} MiB{} each, but only {} such tasks fit on the machine at once",
                                    job.tasks, job.rigid[kMemory], others, room));
}

}  // namespace dfrs::sim
