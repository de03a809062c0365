// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/oracle/random_case.h"

#include <algorithm>

#include "tests/oracle/greedy.h"

namespace dfrs::oracle {

std::vector<NodeView> random_nodes(Dice& dice, int count, bool general, std::size_t dims) {
  std::vector<NodeView> nodes(static_cast<std::size_t>(count));
  for (NodeView& node : nodes) {
    for (std::size_t d = 0; d < dims; ++d) node.spec.rigid[d] = d == 0 ? kNodeMemory : 8;
    if (!general) continue;
    node.spec.cpu = dice.pick<double>({0.5, 1, 1, 2});
    for (std::size_t d = 0; d < dims; ++d) {
      node.spec.rigid[d] = dice.pick<RigidAmount>({node.spec.rigid[d] / 2, node.spec.rigid[d], node.spec.rigid[d] * 2});
    }
    node.usable = !dice.chance(8);
  }
  return nodes;
}

Requirements random_requirements(Dice& dice, int max_tasks, bool general, std::size_t dims) {
  Requirements r;
  r.tasks = static_cast<std::uint32_t>(dice.between(1, max_tasks));
  r.cpu_need = dice.pick<double>({0.25, 0.5, 0.5, 1, 1, 0.125, 0.75});
  r.rigid[0] = kNodeMemory / 16 * dice.between(1, dice.chance(30) ? 12 : 5);
  for (std::size_t d = 1; d < dims; ++d) r.rigid[d] = dice.between(0, 3);
  if (general) {
    r.flags.may_not_pause = dice.chance(15);
    r.flags.may_not_move = dice.chance(15);
    r.flags.exclusive = dice.chance(10);
  }
  return r;
}

NodeSet random_set(Dice& dice, std::size_t nodes) {
  NodeSet set(nodes);
  set.insert(dice.below(static_cast<std::uint32_t>(nodes)));
  for (NodeIndex n = 0; n < nodes; ++n) {
    if (dice.chance(60)) set.insert(n);
  }
  return set;
}

bool fits_alone(const World& world, JobSlot job) {
  World empty = world;
  for (WorldJob& other : empty.jobs) other.nodes.clear();
  empty.jobs[job].home.clear();
  return greedy_nodes(empty, job).has_value();
}

SnapshotCase::SnapshotCase(Dice& dice, const CaseOptions& options) {
  now = 64 * dice.between(1, 40);
  dims = options.general ? static_cast<std::size_t>(dice.between(1, kMaxRigid)) : 1;
  nodes = random_nodes(dice, dice.between(1, options.max_nodes), options.general, dims);
  const int count = dice.between(1, options.max_jobs);
  Seconds submit = 0;
  for (int k = 0; k < count; ++k) {
    const Requirements r = random_requirements(dice, options.max_tasks, options.general, dims);
    JobView job;
    job.id = static_cast<JobId>(100 + k);
    job.tasks = r.tasks;
    job.cpu_need = r.cpu_need;
    job.rigid = r.rigid;
    job.flags = r.flags;
    if (!dice.chance(25)) submit += dice.between(0, static_cast<int>(now) / count);
    job.submit = submit;
    if (options.general && dice.chance(20)) job.eligible = &sets_.emplace_back(random_set(dice, nodes.size()));
    job.state = JobState::waiting;
    order.push_back(static_cast<JobSlot>(jobs.size()));
    jobs.push_back(job);

    // Placed on random nodes with room, if it finds any quickly.
    const World so_far = world();
    std::vector<NodeIndex> chosen;
    for (int attempt = 0; attempt < 40 && chosen.size() < job.tasks; ++attempt) {
      const NodeIndex n = dice.below(static_cast<std::uint32_t>(nodes.size()));
      if (so_far.takes(order.back(), chosen, n)) chosen.push_back(n);
    }
    if (chosen.size() < job.tasks || (options.waiting && dice.chance(25))) {
      if (chosen.size() == job.tasks && dice.chance(50)) {
        jobs.back().state = JobState::paused;
        jobs.back().clock.base = dice.between(1, 50);
        if (job.flags.may_not_move) {
          std::sort(chosen.begin(), chosen.end());
          jobs.back().nodes = placements_.emplace_back(chosen);
        }
      }
      continue;
    }
    std::sort(chosen.begin(), chosen.end());
    jobs.back().state = JobState::running;
    jobs.back().nodes = placements_.emplace_back(chosen);
    // Few values, so that equal priorities occur.
    jobs.back().clock = {static_cast<double>(dice.between(0, 6)) * 8, now - 8, dice.chance(50) ? 0.5 : 0.25};
  }
  // Yields that fit: the common one, no more than 1/64.
  for (JobView& job : jobs) {
    if (job.state == JobState::running) job.yield = job.clock.rate = 1.0 / 64;
  }
  // A node may have gone down under its jobs.
  if (options.general && dice.chance(30)) nodes[dice.below(static_cast<std::uint32_t>(nodes.size()))].usable = false;
}

}  // namespace dfrs::oracle
