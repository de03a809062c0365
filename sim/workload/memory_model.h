// SPDX-License-Identifier: GPL-2.0-or-later
// Memory for logs without memory data: drawn for each job from a published distribution.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/errors.h"
#include "sim/host/instance.h"

namespace dfrs::sim {

/// The memory of RR-7659's generated workloads (section 5.3.2): tasks of 55 % of the jobs need 10 % of a node's memory,
/// tasks of other jobs 10 x uniform{2 .. 10} %.
struct MemoryModel {
  std::uint64_t seed = 1;
  int cores = 1;                    ///< processors of the log per node, which share its memory; 1 .. 1024
  RigidAmount node_mib = 10240;     ///< memory of a node if it is not known
  double small_memory_prob = 0.55;  ///< probability of 10 %
};

/// Parses "lublin", or "lublin:SEED" for other draws. Errors: kExitUsage.
Result<MemoryModel> parse_memory_model(std::string_view text);

/// Draws the memory of all jobs and overwrites what the log said. A draw depends only on the seed and the job's id, so
/// it is the same in a week of a log as in the whole log. Shares refer to the smallest node's memory, and are capped so
/// that all tasks of a job fit on the machine at once. Linear.
void draw_memory(Instance& instance, const MemoryModel& model);

/// The largest amount of memory per task with which all tasks of the job fit on the machine at once if every node had
/// as much as the smallest: node / ceil(tasks / nodes).
RigidAmount most_memory(const Job& job, const Platform& platform);

}  // namespace dfrs::sim
