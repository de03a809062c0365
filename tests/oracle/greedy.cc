// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/oracle/greedy.h"

#include <algorithm>

namespace dfrs::oracle {

std::optional<std::vector<NodeIndex>> greedy_nodes(const World& world, JobSlot job) {
  const WorldJob& spec = world.jobs[job];
  std::vector<NodeIndex> chosen;
  if (!spec.home.empty()) {
    for (NodeIndex n : spec.home) {
      if (!world.takes(job, chosen, n)) return std::nullopt;
      chosen.push_back(n);
    }
    return chosen;
  }
  for (std::uint32_t task = 0; task < spec.tasks; ++task) {
    bool found = false;
    NodeIndex best = 0;
    double best_load = 0;
    for (NodeIndex n = 0; n < world.nodes.size(); ++n) {
      if (!world.takes(job, chosen, n)) continue;
      const auto own = static_cast<double>(std::count(chosen.begin(), chosen.end(), n));
      const double load = (world.load(n) + own * spec.cpu_need + spec.cpu_need) / world.nodes[n].spec.cpu;
      if (!found || load < best_load) {
        found = true;
        best = n;
        best_load = load;
      }
    }
    if (!found) return std::nullopt;
    chosen.push_back(best);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

bool greedy_place(World& world, JobSlot job) {
  const auto nodes = greedy_nodes(world, job);
  if (!nodes) return false;
  world.jobs[job].nodes = *nodes;
  return true;
}

namespace {

// Puts the job back on the nodes where it was, if all of its tasks still fit. It may return even to a node that takes
// no new jobs.
bool put_back(World& world, JobSlot job, const std::vector<NodeIndex>& nodes) {
  World open = world;
  for (NodeView& node : open.nodes) node.usable = true;
  open.jobs[job].eligible = nullptr;
  std::vector<NodeIndex> back;
  for (NodeIndex n : nodes) {
    if (!open.takes(job, back, n)) return false;
    back.push_back(n);
  }
  world.jobs[job].nodes = nodes;
  return true;
}

}  // namespace

bool greedy_admit(World& world, JobSlot job, bool move, bool place_first) {
  World trial = world;
  std::vector<JobSlot> running;
  for (JobSlot other : world.order) {
    if (world.jobs[other].placed() && !world.jobs[other].flags.may_not_pause) running.push_back(other);
  }
  running = world.by_priority(running);

  std::vector<JobSlot> marked;  // by increasing priority
  while (!greedy_nodes(trial, job)) {
    if (running.empty()) return false;
    marked.push_back(running.back());
    running.pop_back();
    trial.jobs[marked.back()].nodes.clear();
  }
  if (place_first) greedy_place(trial, job);
  std::vector<JobSlot> victims;  // by decreasing priority
  for (std::size_t k = marked.size(); k-- > 0;) {
    if (place_first) {
      if (!put_back(trial, marked[k], world.jobs[marked[k]].nodes)) victims.push_back(marked[k]);
      continue;
    }
    World with = trial;
    with.jobs[marked[k]].nodes = world.jobs[marked[k]].nodes;
    if (greedy_nodes(with, job)) {
      trial = with;
    } else {
      victims.push_back(marked[k]);
    }
  }
  if (!place_first) greedy_place(trial, job);
  if (move) {
    for (JobSlot victim : victims) greedy_place(trial, victim);
  }
  world = trial;
  return true;
}

void greedy_fill(World& world, const std::vector<JobSlot>& candidates) {
  for (JobSlot job : world.by_priority(candidates)) greedy_place(world, job);
}

}  // namespace dfrs::oracle
