// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/oracle/decision_checker.h"

#include <fmt/format.h>

#include <algorithm>

namespace dfrs::oracle {

void DecisionChecker::wrong(const ClusterView& view, const std::string& what) {
  if (violations_.size() < 10) violations_.push_back(fmt::format("at {} s: {}", view.now, what));
}

void DecisionChecker::load(const ClusterView& view) {
  jobs_.assign(view.jobs.size(), {});
  for (std::size_t k = 0; k < view.jobs.size(); ++k) {
    const JobView& spec = view.jobs[k];
    jobs_[k].state = spec.state;
    jobs_[k].spec = spec;
    if (spec.state != JobState::absent) jobs_[k].nodes.assign(spec.nodes.begin(), spec.nodes.end());
    if (spec.state == JobState::running) jobs_[k].yield = spec.yield;
  }
}

void DecisionChecker::take_events(const ClusterView& view, std::span<const Event> events) {
  jobs_.resize(std::max(jobs_.size(), view.jobs.size()));
  bool submissions = false;
  for (const Event& event : events) {
    Job& job = jobs_[event.job];
    if (event.kind == EventKind::completed) {
      if (submissions) wrong(view, "a completion behind a submission");
      if (job.state == JobState::absent) wrong(view, fmt::format("slot {} completed twice", event.job));
      job = {};
    } else if (event.kind == EventKind::changed) {
      if (submissions) wrong(view, "a change behind a submission");
      if (job.state == JobState::absent) wrong(view, fmt::format("slot {} changed and is empty", event.job));
      job.spec.cpu_need = view.jobs[event.job].cpu_need;
    } else {
      submissions = true;
      const bool offered_again = job.state == JobState::waiting && events.size() == 1;
      if (job.state != JobState::absent && !offered_again) {
        wrong(view, fmt::format("slot {} submitted twice", event.job));
      }
      job = {};
      job.state = JobState::waiting;
      job.spec = view.jobs[event.job];
    }
  }
}

void DecisionChecker::compare_with(const ClusterView& view) {
  for (std::size_t k = 0; k < view.jobs.size(); ++k) {
    const JobView& seen = view.jobs[k];
    Job& job = jobs_[k];
    if (seen.state != job.state) wrong(view, fmt::format("slot {} is in another state than decided", k));
    if (job.state == JobState::absent) continue;
    job.spec.flags = seen.flags;  // which may change with what the host permits
    const bool keeps_nodes = job.state == JobState::running || (job.spec.flags.may_not_move && !job.nodes.empty());
    const std::vector<NodeIndex> expected = keeps_nodes ? job.nodes : std::vector<NodeIndex>{};
    if (!std::equal(seen.nodes.begin(), seen.nodes.end(), expected.begin(), expected.end())) {
      wrong(view, fmt::format("slot {} is on other nodes than decided", k));
    }
    if (seen.yield != job.yield) wrong(view, fmt::format("slot {} has another yield than decided", k));
    if (seen.cpu_need != job.spec.cpu_need || seen.tasks != job.spec.tasks || seen.rigid != job.spec.rigid) {
      wrong(view, fmt::format("slot {} has changed its requirements", k));
    }
  }
}

void DecisionChecker::check_placement(const ClusterView& view, const Decisions& decisions, const Decision& decision) {
  Job& job = jobs_[decision.job];
  const auto nodes = decisions.nodes_of(decision);
  const std::string name = fmt::format("slot {}", decision.job);
  if (nodes.size() != job.spec.tasks) wrong(view, name + " has a wrong number of nodes");
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (nodes[k] >= view.nodes.size()) return wrong(view, name + " is on a node that does not exist");
    if (k > 0 && nodes[k] < nodes[k - 1]) wrong(view, name + ": nodes do not ascend");
    if (!view.nodes[nodes[k]].usable) wrong(view, name + " was put on an unusable node");
    if (job.spec.eligible != nullptr && !job.spec.eligible->contains(nodes[k])) wrong(view, name + " is not eligible");
  }
  if (job.spec.flags.may_not_move && !job.nodes.empty() &&
      !std::equal(nodes.begin(), nodes.end(), job.nodes.begin(), job.nodes.end())) {
    wrong(view, name + " was moved though it may not be");
  }
  if (decision.kind == DecisionKind::move &&
      std::equal(nodes.begin(), nodes.end(), job.nodes.begin(), job.nodes.end())) {
    wrong(view, name + " was moved to where it is");
  }
  job.nodes.assign(nodes.begin(), nodes.end());
}

void DecisionChecker::check_nodes(const ClusterView& view, const std::vector<bool>& gained) {
  std::vector<RigidVector> rigid(view.nodes.size(), RigidVector{});
  std::vector<double> cpu(view.nodes.size(), 0.0);
  std::vector<std::vector<std::size_t>> on(view.nodes.size());  // the jobs on the node
  std::vector<bool> exclusive(view.nodes.size(), false);
  for (std::size_t k = 0; k < jobs_.size(); ++k) {
    const Job& job = jobs_[k];
    if (job.state != JobState::running) continue;
    for (NodeIndex n : job.nodes) {
      if (n >= view.nodes.size()) continue;
      for (std::size_t d = 0; d < view.rigid_dims; ++d) rigid[n][d] += job.spec.rigid[d];
      cpu[n] += job.yield * job.spec.cpu_need;
      if (on[n].empty() || on[n].back() != k) on[n].push_back(k);
      if (job.spec.flags.exclusive) exclusive[n] = true;
    }
  }
  for (std::size_t n = 0; n < view.nodes.size(); ++n) {
    if (!gained[n]) continue;
    for (std::size_t d = 0; d < view.rigid_dims; ++d) {
      if (rigid[n][d] > view.nodes[n].spec.rigid[d]) wrong(view, fmt::format("node {}: rigid resource {} full", n, d));
    }
    if (cpu[n] > view.nodes[n].spec.cpu * (1 + 1e-7)) {
      wrong(view, fmt::format("node {}: CPU {} of {}", n, cpu[n], view.nodes[n].spec.cpu));
    }
    if (exclusive[n] && on[n].size() > 1) wrong(view, fmt::format("node {}: an exclusive job shares it", n));
  }
}

void DecisionChecker::on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) {
  bool resync = first_;
  for (const Event& event : events) resync = resync || event.kind == EventKind::resync;
  if (!first_ && view.now < last_now_) wrong(view, "time runs backwards");
  first_ = false;
  last_now_ = view.now;
  if (resync) {
    load(view);
  } else {
    take_events(view, events);
    compare_with(view);
  }

  std::vector<bool> decided(jobs_.size(), false);
  std::vector<bool> gained(view.nodes.size(), false);
  DecisionKind last = DecisionKind::pause;
  for (const Decision& decision : decisions.placements) {
    ++decisions_seen_;
    if (decision.job >= jobs_.size()) return wrong(view, "a decision for no job");
    if (decided[decision.job]) wrong(view, fmt::format("slot {} decided upon twice", decision.job));
    decided[decision.job] = true;
    if (decision.kind < last) wrong(view, "pauses, moves, resumes, starts are not in this order");
    last = decision.kind;
    Job& job = jobs_[decision.job];
    const JobState before = decision.kind == DecisionKind::start    ? JobState::waiting
                            : decision.kind == DecisionKind::resume ? JobState::paused
                                                                    : JobState::running;
    if (job.state != before) wrong(view, fmt::format("slot {}: decision does not go with its state", decision.job));
    if (decision.kind == DecisionKind::pause) {
      if (job.spec.flags.may_not_pause) wrong(view, fmt::format("slot {} may not be paused", decision.job));
      if (!job.spec.flags.may_not_move) job.nodes.clear();
      job.state = JobState::paused;
    } else {
      check_placement(view, decisions, decision);
      for (NodeIndex n : job.nodes) {
        if (n < gained.size()) gained[n] = true;
      }
      job.state = JobState::running;
    }
    job.yield = 0;
  }
  for (const YieldChange& change : decisions.yields) {
    if (change.job >= jobs_.size() || jobs_[change.job].state != JobState::running) {
      wrong(view, "a yield for a job that does not run");
      continue;
    }
    if (!(change.yield > 0 && change.yield <= 1)) wrong(view, fmt::format("yield {}", change.yield));
    if (change.yield > jobs_[change.job].yield) {
      for (NodeIndex n : jobs_[change.job].nodes) gained[n] = true;
    }
    jobs_[change.job].yield = change.yield;
  }
  for (std::size_t k = 0; k < jobs_.size(); ++k) {
    if (jobs_[k].state == JobState::running && !(jobs_[k].yield > 0)) {
      wrong(view, fmt::format("slot {} runs without a yield", k));
    }
  }
  if (!(decisions.wake_at >= view.now)) wrong(view, "the wake-up time has passed");
  check_nodes(view, gained);
}

}  // namespace dfrs::oracle
