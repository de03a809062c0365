// SPDX-License-Identifier: GPL-2.0-or-later
// What nodes have, and what is taken.
#include "tests/shim/fake_slurm.h"

#include <fmt/format.h>

#include <algorithm>

namespace dfrs::shim {
std::uint64_t FakeSlurm::used_memory(std::size_t node) const {
  std::uint64_t used = nodes[node].foreign_memory;
  for (const auto& [id, job] : jobs) {
    if (!job.holds_memory()) continue;
    for (const auto& [n, tasks] : job.at) {
      if (n == node) used += tasks * job.memory;
    }
  }
  return used;
}

bool FakeSlurm::completing(std::uint32_t node) const {
  for (const auto& [id, job] : jobs) {
    if (job.state != FakeState::ending && job.state != FakeState::requeuing) continue;
    for (const auto& [n, tasks] : job.at) {
      if (n == node) return true;
    }
  }
  return false;
}

// The jobs on a job's nodes, for a message.
std::string FakeSlurm::holders(const FakeJob& job) const {
  std::string text = fmt::format(" (it needs {} MiB a task", job.memory);
  for (const auto& [id, other] : jobs) {
    if (!other.holds_memory()) continue;
    for (const auto& [n, tasks] : other.at) {
      text += fmt::format(", job {}{} has {} MiB on {}", id, other.state == FakeState::running ? "" : " (suspended)",
                          tasks * other.memory, n);
    }
  }
  return text + ")";
}

bool FakeSlurm::fits(const FakeJob& job, const std::vector<std::pair<std::uint32_t, std::uint16_t>>& at) const {
  for (const auto& [n, tasks] : at) {
    if (used_memory(n) + tasks * job.memory > nodes[n].memory) return false;
    for (const auto& [id, other] : jobs) {
      if (other.state != FakeState::running) continue;  // the cores of suspended jobs are free
      const bool here =
          std::any_of(other.at.begin(), other.at.end(), [node = n](const auto& task) { return task.first == node; });
      if (here && ((other.flags | job.flags) & DFRS_JOB_EXCLUSIVE) != 0) return false;
    }
  }
  return true;
}

}  // namespace dfrs::shim
