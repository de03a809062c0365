// SPDX-License-Identifier: GPL-2.0-or-later
// Whether a job can ever run on a platform: a workload with one that cannot would never end.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "policy/core/compare.h"
#include "sim/host/instance.h"

namespace dfrs::sim {

class PlatformFit {
 public:
  explicit PlatformFit(const Platform& platform);

  /// Whether all tasks of `job` can be placed at once on the empty platform by their rigid resources (CPU is shared and
  /// never in the way) and some node is as fast as a task can use. Linear in the number of different nodes.
  bool fits(const Job& job) const { return cpu_fits(job.cpu_need, largest_cpu_) && room_for(job) >= job.tasks; }
  /// Empty if it fits; else what is too large, for a message.
  std::string why_not(const Job& job) const;

 private:
  // Tasks of the job that fit, never counted beyond what the job has per node.
  RigidAmount room_for(const Job& job) const;

  struct Group {
    NodeSpec node;
    std::size_t count;
  };
  std::vector<Group> groups_;
  std::size_t rigid_dims_;
  double largest_cpu_ = 0;
};

}  // namespace dfrs::sim
