// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/oracle/world.h"

#include <algorithm>
#include <limits>

namespace dfrs::oracle {

Seconds World::flow_time(JobSlot job) const { return now - jobs[job].submit; }

double World::priority(JobSlot job) const {
  const double vt = jobs[job].virtual_time;
  if (vt == 0) return std::numeric_limits<double>::infinity();
  return std::max(flow_time(job), flow_floor) / (vt * vt);
}

std::vector<JobSlot> World::by_priority(std::vector<JobSlot> list) const {
  // Stable: what comes earlier in submission order stays earlier.
  std::stable_sort(list.begin(), list.end(), [&](JobSlot a, JobSlot b) { return priority(a) > priority(b); });
  return list;
}

int World::tasks_on(JobSlot job, NodeIndex n) const {
  return static_cast<int>(std::count(jobs[job].nodes.begin(), jobs[job].nodes.end(), n));
}

double World::load(NodeIndex n) const {
  double sum = 0;
  for (JobSlot job : order) sum += jobs[job].cpu_need * tasks_on(job, n);
  return sum;
}

bool World::takes(JobSlot job, const std::vector<NodeIndex>& already, NodeIndex n) const {
  const WorldJob& spec = jobs[job];
  if (!nodes[n].usable) return false;
  if (spec.eligible != nullptr && !spec.eligible->contains(n)) return false;
  const auto own = std::count(already.begin(), already.end(), n);
  for (std::size_t d = 0; d < dims; ++d) {
    RigidAmount used = own * spec.rigid[d];
    for (JobSlot other : order) used += jobs[other].rigid[d] * tasks_on(other, n);
    if (used + spec.rigid[d] > nodes[n].spec.rigid[d]) return false;
  }
  for (JobSlot other : order) {
    if (other == job || tasks_on(other, n) == 0) continue;
    if (spec.flags.exclusive || jobs[other].flags.exclusive) return false;
  }
  return true;
}

bool follow(std::vector<JobSlot>& order, const ClusterView& view, std::span<const Event> events, bool first) {
  bool resync = first;
  for (const Event& event : events) {
    if (event.kind == EventKind::completed) std::erase(order, event.job);
    if (event.kind == EventKind::submitted) order.push_back(event.job);
    resync = resync || event.kind == EventKind::resync;
  }
  if (!resync) return false;
  order.clear();
  for (JobSlot job = 0; job < view.jobs.size(); ++job) {
    if (view.jobs[job].state != JobState::absent) order.push_back(job);
  }
  std::stable_sort(order.begin(), order.end(), [&](JobSlot a, JobSlot b) {
    const JobView& ja = view.jobs[a];
    const JobView& jb = view.jobs[b];
    return ja.submit != jb.submit ? ja.submit < jb.submit : ja.id < jb.id;
  });
  return true;
}

World world_of(const ClusterView& view, const std::vector<JobSlot>& order) {
  World world;
  world.now = view.now;
  world.nodes.assign(view.nodes.begin(), view.nodes.end());
  world.dims = view.rigid_dims;
  world.order = order;
  for (const JobView& from : view.jobs) {
    WorldJob job;
    job.state = from.state;
    job.flags = from.flags;
    job.tasks = from.tasks;
    job.cpu_need = from.cpu_need;
    job.rigid = from.rigid;
    job.submit = from.submit;
    job.eligible = from.eligible;
    job.virtual_time = from.virtual_time(view.now);
    if (from.state == JobState::running) job.nodes.assign(from.nodes.begin(), from.nodes.end());
    if (from.flags.may_not_move) job.home.assign(from.nodes.begin(), from.nodes.end());
    world.jobs.push_back(job);
  }
  return world;
}

std::vector<std::vector<NodeIndex>> placements_after(const ClusterView& view, const Decisions& decisions,
                                                     const std::vector<JobSlot>& order) {
  std::vector<std::vector<NodeIndex>> nodes(view.jobs.size());
  for (JobSlot job : order) {
    if (view.jobs[job].state == JobState::running) {
      nodes[job].assign(view.jobs[job].nodes.begin(), view.jobs[job].nodes.end());
    }
  }
  for (const Decision& decision : decisions.placements) {
    const auto placed = decisions.nodes_of(decision);
    nodes[decision.job].assign(placed.begin(), placed.end());
  }
  return nodes;
}

}  // namespace dfrs::oracle
