// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/yields.h"

#include <algorithm>
#include <bit>

#include "policy/compare.h"
#include "policy/triage/weights.h"

namespace dfrs::triage {

namespace {

bool overloaded(const ClusterState& state, NodeIndex n) {
  return cpu_exceeds(state.cpu_load(n), state.cpu_capacity(n));
}

}  // namespace

void Yields::begin(const ClusterView& view, std::span<const Event> events, const ClusterState& state, double heaviest) {
  heaviest_ = heaviest;
  yield_.resize(view.jobs.size(), 1.0);
  look_.resize(view.jobs.size(), kNever);
  limited_.resize(view.jobs.size(), 0);
  job_mark_.resize(view.jobs.size(), 0);
  set_.clear();
  changed_.assign(state.changed_nodes().begin(), state.changed_nodes().end());
  afresh_ = afresh_ || std::any_of(events.begin(), events.end(), [](const Event& e) { return e.kind == EventKind::resync; });
  if (!afresh_) return;
  overloaded_.assign(state.node_count(), 0);
  node_mark_.assign(state.node_count(), 0);
}

void Yields::update(const ClusterView& view, const ClusterState& state, const Residents& residents) {
  begin_part();
  if (afresh_) {
    for (JobSlot job : state.active()) {
      if (state.placed(job)) seed_job(job);
    }
    for (NodeIndex n = 0; n < state.node_count(); ++n) seeds_.push_back(n);
    afresh_ = false;
  } else {
    for (JobSlot job : state.touched()) {
      const std::span<const NodeIndex> before = state.nodes_before(job);
      const std::span<const NodeIndex> now = state.nodes_of(job);
      if (std::equal(before.begin(), before.end(), now.begin(), now.end())) continue;
      changed_.insert(changed_.end(), before.begin(), before.end());
      changed_.insert(changed_.end(), now.begin(), now.end());
      if (state.placed(job)) seed_job(job);
    }
    for (JobSlot job : state.active()) {
      if (look_[job] <= view.now && state.placed(job)) seed_job(job);
    }
    std::sort(changed_.begin(), changed_.end());
    changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
    for (NodeIndex n : changed_) seed_node(n, state, residents);
  }
  solve(view, state, residents);
  keep(view, state);
}

void Yields::begin_part() {
  ++look_number_;
  seeds_.clear();
  jobs_.clear();
  nodes_.clear();
}

// Where there is and was enough for all nobody is limited.
void Yields::seed_node(NodeIndex n, const ClusterState& state, const Residents& residents) {
  seeds_.push_back(n);
  if (overloaded_[n] == 0 && !overloaded(state, n)) return;
  for (JobSlot job : residents.on(n)) seed_job(job);
}

void Yields::seed_job(JobSlot job) {
  if (job_mark_[job] == look_number_) return;
  job_mark_[job] = look_number_;
  jobs_.push_back(job);
}

void Yields::solve(const ClusterView& view, const ClusterState& state, const Residents& residents) {
  for (std::size_t k = 0; k < jobs_.size(); ++k) {  // grows as it goes
    each_node(state.nodes_of(jobs_[k]), [&](NodeIndex n) {
      if (node_mark_[n] == look_number_ || !overloaded(state, n)) return;
      node_mark_[n] = look_number_;
      nodes_.push_back(n);
      for (JobSlot job : residents.on(n)) seed_job(job);
    });
  }
  if (jobs_.empty()) return;
  std::sort(nodes_.begin(), nodes_.end());
  // A large part is picked out of the list that has the order already.
  if (jobs_.size() * std::bit_width(jobs_.size()) > state.active().size()) {
    jobs_.clear();
    for (JobSlot job : state.active()) {
      if (job_mark_[job] == look_number_) jobs_.push_back(job);
    }
  } else {
    std::sort(jobs_.begin(), jobs_.end(), [&](JobSlot a, JobSlot b) { return state.order(a) < state.order(b); });
  }
  sharing_.build(state, view, nodes_, jobs_);
  yields_.resize(sharing_.jobs().size());
  if (rule_ == TriageParts::Yields::urgent) {
    weights_.clear();
    for (const Sharing::Job& job : sharing_.jobs()) {
      weights_.push_back(yield_weight(view.jobs[job.slot], {view.now, heaviest_}, options_));
    }
    weighted_.solve(sharing_, weights_, yields_);
  } else {
    equal_.solve(sharing_, yields_);
  }
}

void Yields::keep(const ClusterView& view, const ClusterState& state) {
  for (NodeIndex n : seeds_) overloaded_[n] = overloaded(state, n) ? 1 : 0;
  std::size_t limited = 0;  // sharing_.jobs() is a subsequence of jobs_
  for (JobSlot job : jobs_) {
    if (limited < yields_.size() && sharing_.jobs()[limited].slot == job) {
      yield_[job] = yields_[limited++];
      look_[job] = rule_ == TriageParts::Yields::equal
                       ? kNever
                       : look_again(view.jobs[job], {view.now, heaviest_}, yield_[job], options_);
      limited_[job] = 1;
    } else {
      yield_[job] = 1;
      limited_[job] = 0;
      look_[job] = kNever;
    }
    set_.push_back(job);
  }
}

double Yields::gain_of_move(const ClusterView& view, const ClusterState& state, const Residents& residents, JobSlot job,
                            std::span<const NodeIndex> old_nodes) {
  begin_part();
  seed_job(job);
  each_node(old_nodes, [&](NodeIndex n) { seed_node(n, state, residents); });
  each_node(state.nodes_of(job), [&](NodeIndex n) { seed_node(n, state, residents); });
  solve(view, state, residents);
  double before = 0;
  double after = 0;
  std::size_t limited = 0;
  for (JobSlot other : jobs_) {
    double yield = 1;
    if (limited < yields_.size() && sharing_.jobs()[limited].slot == other) yield = yields_[limited++];
    const double need = view.jobs[other].cpu_need * view.jobs[other].tasks;
    before += need * yield_[other];
    after += need * yield;
  }
  return before < after && same_quality(before, after) ? 0 : after - before;
}

void Yields::keep_move(const ClusterView& view, const ClusterState& state) {
  changed_.insert(changed_.end(), seeds_.begin(), seeds_.end());
  keep(view, state);
}

bool Yields::anyone_limited(const ClusterState& state) const {
  return std::any_of(state.active().begin(), state.active().end(),
                     [&](JobSlot job) { return limited_[job] != 0 && state.placed(job); });
}

Seconds Yields::next_look(const ClusterState& state) const {
  Seconds next = kNever;
  for (JobSlot job : state.active()) {
    if (look_[job] < next && state.placed(job)) next = look_[job];
  }
  return next;
}

void Yields::name(const ClusterView& view, const ClusterState& state, Outcome& outcome) {
  std::sort(set_.begin(), set_.end(), [&](JobSlot a, JobSlot b) { return state.order(a) < state.order(b); });
  set_.erase(std::unique(set_.begin(), set_.end()), set_.end());
  for (JobSlot job : set_) {
    if (!state.placed(job)) continue;
    const JobView& spec = view.jobs[job];
    const std::span<const NodeIndex> before = state.nodes_before(job);
    const std::span<const NodeIndex> now = state.nodes_of(job);
    const bool stayed =
        spec.state == JobState::running && std::equal(before.begin(), before.end(), now.begin(), now.end());
    if (!stayed || yield_[job] != spec.yield) outcome.yields->push_back({job, yield_[job]});
  }
}

}  // namespace dfrs::triage
