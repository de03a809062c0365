// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/reproduce/cost_counts.h"

#include <algorithm>
#include <iterator>

namespace dfrs::sim {
namespace {

// Number of tasks on other nodes than before. Both lists are sorted.
double moved_tasks(std::span<const NodeIndex> before, std::span<const NodeIndex> after) {
  std::vector<NodeIndex> entered;
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(), std::back_inserter(entered));
  return static_cast<double>(entered.size());
}

std::vector<NodeIndex> distinct(std::span<const NodeIndex> nodes) {
  std::vector<NodeIndex> each(nodes.begin(), nodes.end());
  each.erase(std::unique(each.begin(), each.end()), each.end());
  return each;
}

}  // namespace

void CostCounter::count_pause(const JobView& job, double task_mib) {
  const auto add = [&](Counting counting, double pauses) {
    of(counting).pauses += pauses;
    of(counting).paused_mib += task_mib * job.tasks;
  };
  for (const Counting counting :
       {Counting::job, Counting::moves_are_pauses, Counting::resumes, Counting::in_order, Counting::whole_job}) {
    add(counting, 1);
  }
  of(Counting::held).paused_mib += task_mib * job.tasks;
  add(Counting::task, job.tasks);
  add(Counting::node, static_cast<double>(distinct(job.nodes).size()));
}

void CostCounter::count_move(const JobView& job, std::span<const NodeIndex> nodes, double task_mib) {
  const double moved = moved_tasks(job.nodes, nodes);
  const double all = job.tasks;
  double in_order = 0;
  for (std::size_t k = 0; k < nodes.size(); ++k) in_order += nodes[k] == job.nodes[k] ? 0 : 1;
  const auto add = [&](Counting counting, double moves, double tasks) {
    of(counting).moves += moves;
    of(counting).moved_mib += task_mib * tasks;
  };
  for (const Counting counting : {Counting::job, Counting::moves_are_pauses, Counting::resumes, Counting::held}) {
    add(counting, 1, moved);
  }
  of(Counting::moves_are_pauses).pauses += 1;
  of(Counting::moves_are_pauses).paused_mib += task_mib * moved;
  add(Counting::task, moved, moved);
  add(Counting::node, moved_tasks(distinct(job.nodes), distinct(nodes)), moved);
  add(Counting::in_order, 1, in_order);
  add(Counting::whole_job, 1, all);
}

void CostCounter::on_step(const ClusterView& view, std::span<const Event>, const Decisions& decisions) {
  if (view.now != now_) finish();
  now_ = view.now;
  std::size_t held = 0;
  for (const JobView& job : view.jobs) {
    if (job.state == JobState::waiting || job.state == JobState::paused) ++held;
  }
  for (const Decision& decision : decisions.placements) {
    const JobView& job = view.jobs[decision.job];
    const auto task_mib = static_cast<double>(job.rigid[kMemory]);
    const std::span<const NodeIndex> nodes = decisions.nodes_of(decision);
    const bool running = job.state == JobState::running;
    Change first{task_mib, running ? Nodes(job.nodes.begin(), job.nodes.end()) : Nodes(), {}};
    instant_.try_emplace(decision.job, std::move(first)).first->second.after.assign(nodes.begin(), nodes.end());
    switch (decision.kind) {
      case DecisionKind::pause:
        ++held;
        count_pause(job, task_mib);
        break;
      case DecisionKind::move:
        count_move(job, nodes, task_mib);
        break;
      case DecisionKind::resume:
        of(Counting::resumes).pauses += 1;
        of(Counting::resumes).paused_mib += task_mib * job.tasks;
        --held;
        break;
      case DecisionKind::start:
        --held;
        break;
    }
  }
  of(Counting::held).pauses += static_cast<double>(held);
}

void CostCounter::finish() {
  for (const auto& [job, change] : instant_) {
    CostCount& count = of(Counting::instant);
    if (change.before.empty()) continue;
    if (change.after.empty()) {
      count.pauses += 1;
      count.paused_mib += change.task_mib * static_cast<double>(change.before.size());
    } else if (change.after != change.before) {
      count.moves += 1;
      count.moved_mib += change.task_mib * moved_tasks(change.before, change.after);
    }
  }
  instant_.clear();
}

}  // namespace dfrs::sim
