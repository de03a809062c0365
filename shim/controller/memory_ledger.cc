// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/memory_ledger.h"

#include <algorithm>

#include "policy/core/node_runs.h"

namespace dfrs::shim {
void MemoryLedger::reset(const Nodes& nodes) {
  memory_.resize(nodes.size());
  for (NodeIndex n = 0; n < nodes.size(); ++n) memory_[n] = nodes[n].free_memory();
  tasks_.assign(nodes.size(), 0);
  exclusive_.assign(nodes.size(), 0);
}

void MemoryLedger::take(const Footprint& job) {
  const auto size = static_cast<std::int64_t>(job.memory_per_task);
  for (NodeIndex n : job.nodes) {
    memory_[n] -= size;
    ++tasks_[n];
    if (job.exclusive) ++exclusive_[n];
  }
}

void MemoryLedger::give(const Footprint& job) {
  const auto size = static_cast<std::int64_t>(job.memory_per_task);
  for (NodeIndex n : job.nodes) {
    memory_[n] += size;
    --tasks_[n];
    if (job.exclusive) --exclusive_[n];
  }
}

bool MemoryLedger::fits(const Footprint& job) const {
  return all_node_runs(job.nodes, [&](NodeIndex n, std::uint32_t tasks) {
    return tasks_that_fit(n, job.memory_per_task, job.exclusive) >= tasks;
  });
}

std::uint32_t MemoryLedger::tasks_that_fit(NodeIndex n, std::uint64_t memory_per_task, bool exclusive) const {
  if (n >= memory_.size() || memory_[n] < 0 || exclusive_[n] != 0 || (exclusive && tasks_[n] != 0)) return 0;
  if (memory_per_task == 0) return UINT32_MAX;
  const std::uint64_t fit = static_cast<std::uint64_t>(memory_[n]) / memory_per_task;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(fit, UINT32_MAX));
}

}  // namespace dfrs::shim
