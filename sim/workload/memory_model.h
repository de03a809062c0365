// SPDX-License-Identifier: GPL-2.0-or-later
// Memory for logs that say nothing of it: drawn for each job from a published distribution.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/host/instance.h"

namespace dfrs::sim {

/// The memory of RR-7659's generated workloads (section 5.3.2): tasks of 55 % of the jobs need 10 % of a node's memory,
/// those of the others 10 x uniform{2 .. 10} %.
struct MemoryModel {
  std::uint64_t seed = 1;
  int cores = 1;                    ///< processors of the log per node: of a processor's part of the memory, 1 .. 1024
  RigidAmount node_mib = 10240;     ///< of nodes of which none is known
  double small_memory_prob = 0.55;  ///< of 10 %
};

/// "lublin", or "lublin:SEED" for other draws. Errors: UsageError.
MemoryModel parse_memory_model(std::string_view text);

/// Draws the memory of all jobs, whatever was known of it, each by the seed and the job's id alone: the same in a week
/// of a log as in the whole. Shares are of the smallest node's memory, and so much at most that all tasks of a job fit
/// on the machine at once. Linear.
void draw_memory(Instance& instance, const MemoryModel& model);

/// The largest amount of memory per task with which all tasks of the job fit on the machine at once if every node had
/// as much as the smallest: node / ceil(tasks / nodes).
RigidAmount most_memory(const Job& job, const Platform& platform);

}  // namespace dfrs::sim
