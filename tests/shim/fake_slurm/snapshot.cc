// SPDX-License-Identifier: GPL-2.0-or-later
// What the plugin copies for the controller.
#include "tests/shim/fake_slurm.h"

namespace dfrs::shim {
void FakeSlurm::take_snapshot() {
  const std::uint32_t wants = dfrs_controller_wants(controller_);
  snapshot_nodes_.clear();
  snapshot_jobs_.clear();
  node_lists_.clear();
  task_lists_.clear();
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    const FakeNode& node = nodes[n];
    dfrs_node out{};
    out.name = out.address = node.name.c_str();
    out.slurmd_port = 6818;
    out.cpus = node.cpus;
    out.memory = node.memory;
    out.foreign_cpus = node.foreign_cpus;
    out.foreign_memory = node.foreign_memory;
    out.usable = node.usable;
    out.completing = completing(n);
    snapshot_nodes_.push_back(out);
  }
  for (const auto& [id, job] : jobs) {
    if (job.state == FakeState::done) continue;
    dfrs_job out{};
    out.key = {id, job.restarts, job.submit};
    out.user_id = job.user;
    out.flags = job.flags;
    out.tasks = job.tasks;
    out.cpus_per_task = job.cpus_per_task;
    out.memory_per_task = job.memory;
    out.time_limit = job.time_limit;
    out.priority = job.held ? 0 : job.priority;
    out.qos_priority = (wants & DFRS_WANT_QOS) != 0 ? job.qos_priority : 0;
    out.fair_share = (wants & DFRS_WANT_FAIR_SHARE) != 0 ? job.fair_share : -1;
    out.begin_time = job.begin_time;
    out.name = job.name.c_str();
    out.partition = job.partition.c_str();
    out.comment = job.comment.empty() ? nullptr : job.comment.c_str();
    out.eligible = job.eligible.empty() ? nullptr : job.eligible.data();
    switch (job.state) {
      case FakeState::pending:
        out.phase = job.held ? DFRS_JOB_BLOCKED : DFRS_JOB_PENDING;
        if (job.held) out.blocked_reason = "held";
        break;
      case FakeState::requeuing:
        out.phase = DFRS_JOB_REQUEUING;
        break;
      case FakeState::ending:
        out.phase = DFRS_JOB_ENDING;
        break;
      case FakeState::running:
      case FakeState::suspended: {
        out.phase = job.state == FakeState::running ? DFRS_JOB_RUNNING : DFRS_JOB_SUSPENDED;
        if (job.user_suspended) out.flags |= DFRS_JOB_USER_SUSPENDED;
        if (job.lost) out.flags |= DFRS_JOB_LOST;
        if (job.launch_at > 0) out.flags |= DFRS_JOB_CONFIGURING;
        out.start_time = job.start_time;
        out.end_time = job.end_time;
        out.steps = job.steps;
        auto& list = node_lists_.emplace_back();
        auto& tasks = task_lists_.emplace_back();
        for (const auto& [n, count] : job.at) {
          list.push_back(n);
          tasks.push_back(count);
        }
        out.node_count = static_cast<std::uint32_t>(list.size());
        out.nodes = list.data();
        out.node_tasks = tasks.data();
        break;
      }
      case FakeState::done:
        break;
    }
    snapshot_jobs_.push_back(out);
  }
  snapshot_.now = now_;
  snapshot_.node_generation = generation_;
  snapshot_.nodes = snapshot_nodes_.data();
  snapshot_.node_count = snapshot_nodes_.size();
  snapshot_.jobs = snapshot_jobs_.data();
  snapshot_.job_count = snapshot_jobs_.size();
}

}  // namespace dfrs::shim
