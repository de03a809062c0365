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

MemoryLedger ledger_of_desired(const JobTable& jobs, const Nodes& nodes) {
  MemoryLedger ledger;
  ledger.reset(nodes);
  jobs.each([&](const Job& job) {
    if (job.desired.state == DesiredState::running) ledger.take(footprint(job, job.desired.nodes));
  });
  return ledger;
}

record::FreeRoom room_for(const Job& job, bool here, const Nodes& nodes, const MemoryLedger& ledger) {
  const JobFacts& facts = job.facts;
  record::FreeRoom room;
  const auto count = [&](NodeIndex n) {
    ++room.eligible;
    if (!nodes.views()[n].usable) {
      ++room.unusable;
      return;
    }
    const std::uint32_t fit = ledger.tasks_that_fit(n, facts.memory_per_task, facts.exclusive);
    room.tasks = std::min<std::uint64_t>(facts.tasks, room.tasks + fit);
    if (fit != 0) return;
    const std::int64_t free = ledger.free_memory(n);
    const bool has_memory = free >= 0 && static_cast<std::uint64_t>(free) >= facts.memory_per_task;
    ++(has_memory ? room.exclusive : room.short_of[kMemory]);
  };
  if (here) {
    each_node_run(facts.nodes, [&](NodeIndex n, std::uint32_t) {
      if (n < nodes.size()) count(n);
    });
    return room;
  }
  for (NodeIndex n = 0; n < nodes.size(); ++n) {
    if (facts.may_use(n)) count(n);
  }
  return room;
}

}  // namespace dfrs::shim
