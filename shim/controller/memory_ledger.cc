// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/memory_ledger.h"

#include <algorithm>

namespace dfrs::shim {
namespace {

// Calls f(node, tasks there) for each node of an ascending list.
template <typename F>
void each_node(std::span<const NodeIndex> nodes, F f) {
  for (std::size_t k = 0; k < nodes.size();) {
    std::size_t end = k + 1;
    while (end < nodes.size() && nodes[end] == nodes[k]) ++end;
    f(nodes[k], static_cast<std::uint32_t>(end - k));
    k = end;
  }
}

}  // namespace

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
  bool fits = true;
  each_node(job.nodes, [&](NodeIndex n, std::uint32_t tasks) {
    fits = fits && tasks_that_fit(n, job.memory_per_task, job.exclusive) >= tasks;
  });
  return fits;
}

std::uint32_t MemoryLedger::tasks_that_fit(NodeIndex n, std::uint64_t memory_per_task, bool exclusive) const {
  if (n >= memory_.size() || memory_[n] < 0 || exclusive_[n] != 0 || (exclusive && tasks_[n] != 0)) return 0;
  if (memory_per_task == 0) return UINT32_MAX;
  const std::uint64_t fit = static_cast<std::uint64_t>(memory_[n]) / memory_per_task;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(fit, UINT32_MAX));
}

}  // namespace dfrs::shim
