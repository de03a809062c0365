// SPDX-License-Identifier: GPL-2.0-or-later
// What one node holds, as a value: for asking what would be if jobs came or went.
#pragma once

#include <cstddef>
#include <cstdint>

#include "policy/core/view.h"

namespace dfrs {

struct NodeContents {
  RigidVector rigid_free{};
  double cpu_load = 0;  ///< sum of the CPU needs of the tasks
  std::uint32_t tasks = 0;
  std::uint32_t exclusive_tasks = 0;

  void add_task(const JobView& job) {
    cpu_load += job.cpu_need;
    for (std::size_t d = 0; d < kMaxRigid; ++d) rigid_free[d] -= job.rigid[d];
    ++tasks;
    if (job.flags.exclusive) ++exclusive_tasks;
  }
  /// An empty node has a load of exactly 0, whatever rounding has left of the sums.
  void remove_task(const JobView& job) {
    cpu_load -= job.cpu_need;
    for (std::size_t d = 0; d < kMaxRigid; ++d) rigid_free[d] += job.rigid[d];
    if (--tasks == 0) cpu_load = 0.0;
    if (job.flags.exclusive) --exclusive_tasks;
  }
};

}  // namespace dfrs
