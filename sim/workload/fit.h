// SPDX-License-Identifier: GPL-2.0-or-later
// Whether a job can ever run on a platform: a workload with one that cannot would never end.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/instance.h"

namespace dfrs::sim {

class PlatformFit {
 public:
  explicit PlatformFit(const Platform& platform);

  /// Empty if all tasks of `job` can be placed at once on the empty platform by their rigid resources (CPU is shared
  /// and never in the way) and some node is as fast as a task can use; else what is too large, for a message. Linear in
  /// the number of different nodes.
  std::string why_not(const Job& job) const;

 private:
  struct Group {
    NodeSpec node;
    std::size_t count;
  };
  std::vector<Group> groups_;
  std::size_t rigid_dims_;
};

}  // namespace dfrs::sim
