// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/story/surroundings.h"

#include <algorithm>

namespace dfrs::record {

void Surroundings::gather() {
  if (gathered_) return;
  gathered_ = true;
  nodes_.resize(view_.jobs.size());
  for (JobSlot job = 0; job < view_.jobs.size(); ++job) {
    if (view_.jobs[job].state == JobState::running) nodes_[job] = view_.jobs[job].nodes;
  }
  for (const Decision& decision : decisions_.placements) nodes_[decision.job] = decisions_.nodes_of(decision);
  use_.resize(view_.nodes.size());
  for (JobSlot job = 0; job < nodes_.size(); ++job) {
    const JobView& spec = view_.jobs[job];
    for (const NodeIndex n : nodes_[job]) {
      if (n >= use_.size()) continue;
      use_[n].load += spec.cpu_need;
      for (std::size_t d = 0; d < view_.rigid_dims; ++d) use_[n].taken[d] += spec.rigid[d];
      ++use_[n].tasks;
      use_[n].exclusive = use_[n].exclusive || spec.flags.exclusive;
    }
  }
}

// How many tasks of the job find room on the node. If none, counts the node in `room` for what is missing.
std::uint64_t Surroundings::tasks_that_fit(NodeIndex n, const JobView& job, FreeRoom& room) const {
  const NodeUse& use = use_[n];
  std::uint64_t most = job.tasks;
  for (std::size_t d = 0; d < view_.rigid_dims; ++d) {
    if (job.rigid[d] <= 0) continue;
    const RigidAmount free = std::max<RigidAmount>(0, view_.nodes[n].spec.rigid[d] - use.taken[d]);
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

FreeRoom Surroundings::room_for(const JobView& job) {
  gather();
  FreeRoom room;
  for (NodeIndex n = 0; n < view_.nodes.size(); ++n) {
    if (job.eligible != nullptr && !job.eligible->contains(n)) continue;
    ++room.eligible;
    if (!view_.nodes[n].usable) {
      ++room.unusable;
      continue;
    }
    const std::uint64_t here = tasks_that_fit(n, job, room);
    room.tasks = std::min<std::uint64_t>(job.tasks, room.tasks + here);
  }
  return room;
}

Crowd Surroundings::crowd_of(JobSlot job) {
  gather();
  Crowd crowd;
  double worst = -1;
  for (const NodeIndex n : nodes_[job]) {
    const double capacity = view_.nodes[n].spec.cpu;
    if (!(use_[n].load / capacity > worst)) continue;
    worst = use_[n].load / capacity;
    crowd.node = n;
    crowd.load = use_[n].load;
    crowd.capacity = capacity;
  }
  for (JobSlot other = 0; other < nodes_.size(); ++other) {
    if (other != job && std::binary_search(nodes_[other].begin(), nodes_[other].end(), crowd.node)) {
      crowd.with.push_back(view_.jobs[other].id);
    }
  }
  std::sort(crowd.with.begin(), crowd.with.end());
  crowd.others = crowd.with.size();
  if (crowd.with.size() > kCrowdNamed) crowd.with.resize(kCrowdNamed);
  return crowd;
}

}  // namespace dfrs::record
