// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/core/cluster_state.h"

#include <algorithm>

namespace dfrs {

void ClusterState::resync(const ClusterView& view) {
  ++version_;
  by_load_.forget();
  free_memory_.forget();
  const std::size_t nodes = view.nodes.size();
  rigid_dims_ = view.rigid_dims;
  cpu_capacity_.resize(nodes);
  cpu_load_.assign(nodes, 0.0);
  rigid_capacity_.resize(nodes);
  rigid_free_.resize(nodes);
  task_count_.assign(nodes, 0);
  exclusive_tasks_.assign(nodes, 0);
  usable_.resize(nodes);
  node_changed_.assign(nodes, 0);
  changed_nodes_.assign(nodes + 1, 0);
  changed_ = 0;
  homogeneous_ = true;
  for (std::size_t n = 0; n < nodes; ++n) {
    const NodeView& node = view.nodes[n];
    cpu_capacity_[n] = node.spec.cpu;
    rigid_capacity_[n] = rigid_free_[n] = node.spec.rigid;
    usable_[n] = node.usable ? 1 : 0;
    if (!node.usable || node.spec != view.nodes[0].spec) homogeneous_ = false;
  }

  jobs_.assign(view.jobs.size(), {});
  touched_.clear();
  active_.clear();
  active_orders_.clear();
  gone_ = 0;
  std::vector<JobSlot> jobs;
  for (JobSlot job = 0; job < view.jobs.size(); ++job) {
    if (view.jobs[job].state != JobState::absent) jobs.push_back(job);
  }
  // A snapshot does not show the order of submission events: the submit time, then the host's job id, stand in for it.
  std::sort(jobs.begin(), jobs.end(), [&](JobSlot a, JobSlot b) {
    const JobView& ja = view.jobs[a];
    const JobView& jb = view.jobs[b];
    if (ja.submit != jb.submit) return ja.submit < jb.submit;
    return ja.id != jb.id ? ja.id < jb.id : a < b;
  });
  next_order_ = 0;
  for (JobSlot job : jobs) {
    enter(job);
    const JobView& spec = view.jobs[job];
    if (spec.state != JobState::running) continue;
    jobs_[job].nodes.assign(spec.nodes.begin(), spec.nodes.end());
    occupy(spec, jobs_[job].nodes);
  }
  forget_changes();
}

void ClusterState::enter(JobSlot job) {
  active_.push_back(job);
  active_orders_.push_back(next_order_);
  jobs_[job].order = next_order_++;
  jobs_[job].present = true;
}

void ClusterState::add(JobSlot job) {
  ++version_;
  if (!jobs_[job].present) enter(job);  // else it waits and is offered again
}

void ClusterState::drop(JobSlot job, const JobView& spec) {
  ++version_;
  if (placed(job)) {
    release(spec, jobs_[job].nodes);
    spare_.recycle(jobs_[job].nodes);
  }
  if (!jobs_[job].present) return;
  jobs_[job].present = false;
  first_gone_ = gone_ == 0 ? jobs_[job].order : std::min(first_gone_, jobs_[job].order);
  if (2 * ++gone_ > active_.size()) close_gaps();
}

void ClusterState::close_gaps() const {
  const auto first = std::lower_bound(active_orders_.begin(), active_orders_.end(), first_gone_);
  auto kept = static_cast<std::size_t>(first - active_orders_.begin());
  for (std::size_t k = kept; k < active_.size(); ++k) {
    const JobSlot job = active_[k];
    const std::uint64_t order = active_orders_[k];
    active_[kept] = job;
    active_orders_[kept] = order;
    kept += jobs_[job].present && jobs_[job].order == order ? 1 : 0;
  }
  active_.resize(kept);
  active_orders_.resize(kept);
  gone_ = 0;
}

void ClusterState::change_need(JobSlot job, double more) {
  ++version_;
  for (NodeIndex n : jobs_[job].nodes) {
    cpu_load_[n] += more;
    changed_ = note_change(n, changed_);
  }
  note(jobs_[job].nodes);
}

void ClusterState::rollback(const ClusterView& view) {
  ++version_;
  for (std::size_t k = 0; k < touched_.size(); ++k) {
    const JobSlot job = touched_[k];
    if (placed(job)) release(view.jobs[job], jobs_[job].nodes);
    jobs_[job].nodes = before_[k];
    jobs_[job].touch_index = kUntouched;
  }
  for (JobSlot job : touched_) {
    if (placed(job)) occupy(view.jobs[job], jobs_[job].nodes);
  }
  touched_.clear();
}

void ClusterState::touch(JobSlot job) {
  ++version_;
  if (jobs_[job].touch_index != kUntouched) return;
  jobs_[job].touch_index = static_cast<std::uint32_t>(touched_.size());
  touched_.push_back(job);
  if (before_.size() < touched_.size()) before_.emplace_back();
  before_[touched_.size() - 1].assign(jobs_[job].nodes.begin(), jobs_[job].nodes.end());
}

void ClusterState::place(JobSlot job, const JobView& spec, std::span<const NodeIndex> nodes) {
  touch(job);
  spare_.reuse_for(jobs_[job].nodes);
  jobs_[job].nodes.assign(nodes.begin(), nodes.end());
  occupy(spec, nodes);
}

void ClusterState::remove(JobSlot job, const JobView& spec) {
  touch(job);
  release(spec, jobs_[job].nodes);
  jobs_[job].nodes.clear();
}

void ClusterState::occupy(const JobView& spec, std::span<const NodeIndex> nodes) {
  const double need = spec.cpu_need;
  with_dims(rigid_dims_, [&](auto dims) {
    std::size_t changed = changed_;
    for (NodeIndex n : nodes) {
      cpu_load_[n] += need;
      for (std::size_t d = 0; d < dims; ++d) rigid_free_[n][d] -= spec.rigid[d];
      ++task_count_[n];
      changed = note_change(n, changed);
    }
    changed_ = changed;
  });
  note(nodes);
  if (!spec.flags.exclusive) return;
  for (NodeIndex n : nodes) ++exclusive_tasks_[n];
}

void ClusterState::release(const JobView& spec, std::span<const NodeIndex> nodes) {
  const double need = spec.cpu_need;
  with_dims(rigid_dims_, [&](auto dims) {
    std::size_t changed = changed_;
    for (NodeIndex n : nodes) {
      cpu_load_[n] -= need;
      for (std::size_t d = 0; d < dims; ++d) rigid_free_[n][d] += spec.rigid[d];
      // An empty node has a load of exactly 0, whatever rounding has left of the sums.
      if (--task_count_[n] == 0) cpu_load_[n] = 0.0;
      changed = note_change(n, changed);
    }
    changed_ = changed;
  });
  note(nodes);
  if (!spec.flags.exclusive) return;
  for (NodeIndex n : nodes) --exclusive_tasks_[n];
}

bool ClusterState::holds_one(const RigidVector& room, const JobView& job) const {
  for (std::size_t d = 0; d < rigid_dims_; ++d) {
    if (room[d] < job.rigid[d]) return false;
  }
  return true;
}

std::uint32_t ClusterState::holds(const RigidVector& room, const JobView& job) const {
  RigidAmount fit = job.tasks;
  for (std::size_t d = 0; d < rigid_dims_; ++d) {
    // Most jobs have one task and need no division.
    if (fit > 1 && job.rigid[d] > 0) fit = std::min(fit, room[d] / job.rigid[d]);
  }
  return static_cast<std::uint32_t>(fit);
}

std::uint32_t ClusterState::room_for(const JobView& job, NodeIndex n) const {
  if (!holds_one(rigid_free_[n], job) || !admits(job, n, task_count_[n], exclusive_tasks_[n])) return 0;
  return holds(rigid_free_[n], job);
}

std::uint32_t ClusterState::room_for(const JobView& job, NodeIndex n, const NodeContents& contents) const {
  if (!holds_one(contents.rigid_free, job) || !admits(job, n, contents.tasks, contents.exclusive_tasks)) return 0;
  return holds(contents.rigid_free, job);
}

std::uint32_t ClusterState::room_alone(const JobView& job, NodeIndex n) const {
  if (!usable(n) || (job.eligible != nullptr && !job.eligible->contains(n))) return 0;
  return holds_one(rigid_capacity_[n], job) ? holds(rigid_capacity_[n], job) : 0;
}

}  // namespace dfrs
