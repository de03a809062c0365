// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/gate.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

struct StoredPlan {
  dfrs_plan plan{};
  std::vector<std::uint32_t> nodes;
  std::vector<std::uint16_t> node_tasks;
};

struct Gate {
  std::shared_mutex mutex;
  std::vector<std::string> partitions;
  std::unordered_map<std::uint32_t, StoredPlan> plans;
  std::atomic<bool> select_ready = false;
};

// Never destroyed: threads of slurmctld may still ask while the process exits.
Gate& gate() {
  static Gate& the_gate = *new Gate;
  return the_gate;
}

}  // namespace

extern "C" {

int dfrs_gate_set_partitions(const char* const* names, size_t count) {
  try {
    std::vector<std::string> copies(names, names + count);
    Gate& g = gate();
    const std::unique_lock lock(g.mutex);
    g.partitions.swap(copies);
    return 0;
  } catch (...) {
    return -1;
  }
}

bool dfrs_gate_manages(const char* partition) {
  if (partition == nullptr) return false;
  try {
    Gate& g = gate();
    const std::shared_lock lock(g.mutex);
    return std::any_of(g.partitions.begin(), g.partitions.end(),
                       [partition](const std::string& name) { return name == partition; });
  } catch (...) {
    return false;
  }
}

int dfrs_gate_publish(const dfrs_plan* plan) {
  try {
    StoredPlan stored;
    stored.plan = *plan;
    if (plan->nodes != nullptr) stored.nodes.assign(plan->nodes, plan->nodes + plan->node_count);
    if (plan->node_tasks != nullptr) stored.node_tasks.assign(plan->node_tasks, plan->node_tasks + plan->node_count);
    stored.plan.nodes = stored.nodes.empty() ? nullptr : stored.nodes.data();
    stored.plan.node_tasks = stored.node_tasks.empty() ? nullptr : stored.node_tasks.data();
    Gate& g = gate();
    const std::unique_lock lock(g.mutex);
    g.plans.insert_or_assign(plan->job_id, std::move(stored));  // moved vectors keep their arrays
    return 0;
  } catch (...) {
    return -1;
  }
}

dfrs_plan dfrs_gate_plan(uint32_t job_id) {
  dfrs_plan none{};
  none.kind = DFRS_PLAN_NONE;
  none.job_id = job_id;
  try {
    Gate& g = gate();
    const std::shared_lock lock(g.mutex);
    const auto found = g.plans.find(job_id);
    return found == g.plans.end() ? none : found->second.plan;
  } catch (...) {
    return none;
  }
}

void dfrs_gate_withdraw(uint32_t job_id) {
  try {
    Gate& g = gate();
    const std::unique_lock lock(g.mutex);
    g.plans.erase(job_id);
  } catch (...) {
  }
}

int dfrs_gate_eventfd(void) {
  static const int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return fd;
}

void dfrs_gate_wake(void) {
  const int fd = dfrs_gate_eventfd();
  if (fd < 0) return;
  const std::uint64_t one = 1;
  // A full counter (EAGAIN) is a wake-up that has not been taken yet.
  [[maybe_unused]] const ssize_t written = write(fd, &one, sizeof(one));
}

void dfrs_gate_set_select_ready(bool ready) { gate().select_ready.store(ready); }

bool dfrs_gate_select_ready(void) { return gate().select_ready.load(); }

void dfrs_gate_reset(void) {
  try {
    Gate& g = gate();
    const std::unique_lock lock(g.mutex);
    g.partitions.clear();
    g.plans.clear();
  } catch (...) {
  }
}

}  // extern "C"
