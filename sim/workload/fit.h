// SPDX-License-Identifier: GPL-2.0-or-later
// Whether a job can ever run on a platform. A workload with a job that cannot would never end.
#pragma once

#include <cstddef>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "policy/core/compare.h"
#include "sim/host/instance.h"

namespace dfrs::sim {

class PlatformFit {
 public:
  explicit PlatformFit(const Platform& platform);

  /// True if the rigid resources of the empty platform hold all tasks of `job` at once (CPU is shared and never a
  /// limit) and some node has the CPU that a task can use. Linear in the number of distinct node types.
  bool fits(const Job& job) const { return cpu_fits(job.cpu_need, largest_cpu_) && room_for(job) >= job.tasks; }
  /// True if all tasks of `job` run at once and at full speed, with as many on a node as it holds: where no CPU is
  /// shared, other jobs never start.
  bool fits_at_full_speed(const Job& job) const;
  /// The same as fits(). Error: what is too large, for a message.
  tl::expected<void, std::string> check(const Job& job) const;

 private:
  // Number of the job's tasks that fit, counting at most job.tasks per node.
  RigidAmount room_for(const Job& job) const;
  RigidAmount room_on(const NodeSpec& node, const Job& job) const;

  struct Group {
    NodeSpec node;
    std::size_t count;
  };
  std::vector<Group> groups_;
  std::size_t rigid_dims_;
  double largest_cpu_ = 0;
};

}  // namespace dfrs::sim
