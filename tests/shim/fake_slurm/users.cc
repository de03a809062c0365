// SPDX-License-Identifier: GPL-2.0-or-later
// What users and administrators do, and faults.
#include "tests/shim/fake_slurm.h"

#include <fmt/format.h>

#include <algorithm>

namespace dfrs::shim {
void FakeSlurm::add_nodes(int count, std::uint32_t cpus, std::uint64_t memory) {
  for (int k = 0; k < count; ++k) {
    FakeNode node;
    node.name = fmt::format("n{}", nodes.size());
    node.cpus = cpus;
    node.memory = memory;
    nodes.push_back(node);
  }
}

std::uint32_t FakeSlurm::submit(FakeJob job) {
  if (job.id == 0) job.id = next_id_++;
  next_id_ = std::max(next_id_, job.id + 1);
  job.submit = static_cast<std::int64_t>(now_);
  if (job.array_tasks > 1) job.flags |= DFRS_JOB_ARRAY_META;
  event_ = true;
  jobs[job.id] = job;
  return job.id;
}

void FakeSlurm::cancel(std::uint32_t id) {
  FakeJob& job = jobs.at(id);
  if (job.state == FakeState::done || job.state == FakeState::ending) return;
  if (job.state == FakeState::pending) {
    job.state = FakeState::done;
    job.end = FakeEnd::cancelled;
    event_ = true;
    return;
  }
  finish(job, FakeEnd::cancelled);
}

void FakeSlurm::user_suspend(std::uint32_t id) {
  FakeJob& job = jobs.at(id);
  if (job.state == FakeState::running) {
    job.state = FakeState::suspended;
    job.memory_given_back = false;
    job.ran_before_suspend += now_ - static_cast<double>(job.start_time);
  }
  if (job.state == FakeState::suspended) job.user_suspended = true;
  event_ = true;
}

bool FakeSlurm::user_resume(std::uint32_t id) {
  FakeJob& job = jobs.at(id);
  if (job.state != FakeState::suspended || (job.memory_given_back && !fits(job, job.at))) return false;
  job.state = FakeState::running;
  job.user_suspended = false;
  job.start_time = static_cast<std::int64_t>(now_);
  event_ = true;
  return true;
}

void FakeSlurm::user_requeue(std::uint32_t id) {
  FakeJob& job = jobs.at(id);
  if (job.state == FakeState::running || job.state == FakeState::suspended) requeue_run(job);
}

void FakeSlurm::fail_node(std::uint32_t node) {
  nodes[node].usable = false;
  event_ = true;
  for (auto& [id, job] : jobs) {
    if (job.state != FakeState::running && job.state != FakeState::suspended) continue;
    const bool here = std::any_of(job.at.begin(), job.at.end(), [&](const auto& p) { return p.first == node; });
    if (!here) continue;
    if ((job.flags & DFRS_JOB_MAY_REQUEUE) != 0) {
      requeue_run(job);
    } else {
      finish(job, FakeEnd::failed);
    }
  }
}

}  // namespace dfrs::shim
