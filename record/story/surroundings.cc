// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/story/surroundings.h"

#include <algorithm>

#include "policy/core/node_runs.h"

namespace dfrs::record {
namespace {

// Where each job is after the decisions.
class Placement {
 public:
  Placement(const ClusterView& view, const Decisions& decisions) : nodes_(view.jobs.size()) {
    for (JobSlot job = 0; job < view.jobs.size(); ++job) {
      if (view.jobs[job].state == JobState::running) nodes_[job] = view.jobs[job].nodes;
    }
    for (const Decision& decision : decisions.placements) nodes_[decision.job] = decisions.nodes_of(decision);
  }

  std::span<const NodeIndex> nodes_of(JobSlot job) const { return nodes_[job]; }

  template <typename Visit>
  void each_placed(Visit&& visit) const {
    for (JobSlot job = 0; job < nodes_.size(); ++job) {
      if (!nodes_[job].empty()) visit(job, nodes_[job]);
    }
  }

 private:
  std::vector<std::span<const NodeIndex>> nodes_;
};

struct NodeUse {
  double load = 0;
  RigidVector taken{};
  std::uint32_t tasks = 0;
  bool exclusive = false;
};

std::vector<NodeUse> use_of_nodes(const ClusterView& view, const Placement& placement) {
  std::vector<NodeUse> use(view.nodes.size());
  placement.each_placed([&](JobSlot job, std::span<const NodeIndex> nodes) {
    const JobView& spec = view.jobs[job];
    for (const NodeIndex n : nodes) {
      if (n >= use.size()) continue;
      use[n].load += spec.cpu_need;
      for (std::size_t d = 0; d < view.rigid_dims; ++d) use[n].taken[d] += spec.rigid[d];
      ++use[n].tasks;
      use[n].exclusive = use[n].exclusive || spec.flags.exclusive;
    }
  });
  return use;
}

// How many tasks of the job find room on the node. If none, counts the node in `room` for what is missing.
std::uint64_t tasks_that_fit(const ClusterView& view, const NodeUse& use, NodeIndex n, const JobView& job, Room& room) {
  std::uint64_t most = job.tasks;
  for (std::size_t d = 0; d < view.rigid_dims; ++d) {
    if (job.rigid[d] <= 0) continue;
    const RigidAmount free = std::max<RigidAmount>(0, view.nodes[n].spec.rigid[d] - use.taken[d]);
    most = std::min(most, static_cast<std::uint64_t>(free / job.rigid[d]));
    if (most > 0) continue;
    ++room.short_of[d];
    return 0;
  }
  if (use.exclusive || (job.flags.exclusive && use.tasks != 0)) {
    ++room.exclusive;
    return 0;
  }
  return most;
}

}  // namespace

Room room_for(const ClusterView& view, const Decisions& decisions, const JobView& job) {
  const std::vector<NodeUse> use = use_of_nodes(view, Placement(view, decisions));
  Room room;
  for (NodeIndex n = 0; n < view.nodes.size(); ++n) {
    if (job.eligible != nullptr && !job.eligible->contains(n)) continue;
    ++room.eligible;
    if (!view.nodes[n].usable) {
      ++room.unusable;
      continue;
    }
    const std::uint64_t here = tasks_that_fit(view, use[n], n, job, room);
    room.tasks = std::min<std::uint64_t>(job.tasks, room.tasks + here);
  }
  return room;
}

Crowd crowd_of(const ClusterView& view, const Decisions& decisions, JobSlot job) {
  const Placement placement(view, decisions);
  const std::vector<NodeUse> use = use_of_nodes(view, placement);
  Crowd crowd;
  double worst = -1;
  for (const NodeIndex n : placement.nodes_of(job)) {
    const double capacity = view.nodes[n].spec.cpu;
    if (!(use[n].load / capacity > worst)) continue;
    worst = use[n].load / capacity;
    crowd.node = n;
    crowd.load = use[n].load;
    crowd.capacity = capacity;
  }
  placement.each_placed([&](JobSlot other, std::span<const NodeIndex> nodes) {
    if (other != job && std::binary_search(nodes.begin(), nodes.end(), crowd.node)) {
      crowd.with.push_back(view.jobs[other].id);
    }
  });
  std::sort(crowd.with.begin(), crowd.with.end());
  crowd.others = crowd.with.size();
  if (crowd.with.size() > kCrowdNamed) crowd.with.resize(kCrowdNamed);
  return crowd;
}

}  // namespace dfrs::record
