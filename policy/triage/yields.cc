// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/yields.h"

#include <algorithm>

#include "policy/core/compare.h"
#include "policy/triage/weights.h"

namespace dfrs::triage {

namespace {

// The CPU need of all the job's tasks on the node.
double need_on(const ClusterView& view, const ClusterState& state, JobSlot job, NodeIndex n) {
  const std::span<const NodeIndex> nodes = state.nodes_of(job);
  const auto [first, last] = std::equal_range(nodes.begin(), nodes.end(), n);
  return view.jobs[job].cpu_need * static_cast<double>(last - first);
}

std::size_t as_count(double number) {
  constexpr double kMost = 1e9;
  return static_cast<std::size_t>(std::min(number, kMost));
}

}  // namespace

Yields::Yields(TriageParts::Yields rule, const TriageOptions& options)
    : rule_(rule), options_(options), most_tied_(as_count(options.tied)) {}

void Yields::begin(const ClusterView& view, std::span<const Event> events, const ClusterState& state, const Instant& at,
                   std::span<const Seconds> run_time) {
  at_ = at;
  run_time_ = run_time;
  const std::size_t slots = view.jobs.size();
  yield_.resize(slots, 1.0);
  look_.resize(slots, kNever);
  watch_.resize(slots);
  limited_.resize(slots, 0);
  set_.clear();
  looked_ = false;
  overdue_ = false;
  kept_touched_ = 0;
  changed_.assign(state.changed_nodes().begin(), state.changed_nodes().end());
  nothing_known_ = nothing_known_ || has_event(events, EventKind::resync);
  if (nothing_known_) overloaded_.assign(state.node_count(), 0);
  used_.resize(state.node_count());
}

void Yields::update(const ClusterView& view, const ClusterState& state, const Residents& residents) {
  begin_part(state);
  if (nothing_known_) {
    for (JobSlot job : state.active()) {
      if (state.placed(job)) group_.add(job);
    }
    for (NodeIndex n = 0; n < state.node_count(); ++n) seeds_.push_back(n);
    nothing_known_ = false;
  } else {
    add_changed(state, residents);
    if (!looked_) add_due(view, state, residents);
  }
  looked_ = true;
  solve(view, state, residents);
  keep(view, state);
  note_update(state);
}

void Yields::begin_part(const ClusterState& state) {
  seeds_.clear();
  group_.begin(yield_.size(), state.node_count());
}

// Adds the jobs that have been placed, and the jobs on nodes that have changed.
void Yields::add_changed(const ClusterState& state, const Residents& residents) {
  for (std::size_t k = 0; k < state.touched().size(); ++k) {
    const JobSlot job = state.touched()[k];
    const std::span<const NodeIndex> before = nodes_at_update(state, k);
    const std::span<const NodeIndex> now = state.nodes_of(job);
    if (std::equal(before.begin(), before.end(), now.begin(), now.end())) continue;
    changed_.insert(changed_.end(), before.begin(), before.end());
    changed_.insert(changed_.end(), now.begin(), now.end());
    if (state.placed(job)) group_.add(job);
  }
  std::sort(changed_.begin(), changed_.end());
  changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
  for (NodeIndex n : changed_) seed_node(n, state, residents);
}

// Adds the jobs whose weights are due, in submission order, and those that share overloaded nodes with them. Jobs that
// have changed anyway do not count against the limit.
void Yields::add_due(const ClusterView& view, const ClusterState& state, const Residents& residents) {
  due_.clear();
  std::size_t more = 0;
  for (JobSlot job : state.active()) {
    if (look_[job] > view.now || !state.placed(job) || !look_due(job, view.now)) continue;
    if (!group_.contains(job) && more++ >= std::max<std::size_t>(most_tied_, 1)) {
      overdue_ = true;
    } else {
      due_.push_back(job);
    }
  }
  for (JobSlot job : due_) {
    group_.add(job);
    group_.add_neighbours(state, job, [&](NodeIndex n) { return residents.on(n); });
  }
}

std::span<const NodeIndex> Yields::nodes_at_update(const ClusterState& state, std::size_t touched) const {
  if (touched < kept_touched_) return kept_nodes_[touched];
  return state.nodes_before(state.touched()[touched]);
}

void Yields::note_update(const ClusterState& state) {
  changed_.clear();
  kept_touched_ = state.touched().size();
  if (kept_nodes_.size() < kept_touched_) kept_nodes_.resize(kept_touched_);
  for (std::size_t k = 0; k < kept_touched_; ++k) {
    const std::span<const NodeIndex> now = state.nodes_of(state.touched()[k]);
    kept_nodes_[k].assign(now.begin(), now.end());
  }
}

// Adds the jobs on a changed node, unless it had and has enough CPU for all.
void Yields::seed_node(NodeIndex n, const ClusterState& state, const Residents& residents) {
  seeds_.push_back(n);
  if (overloaded_[n] == 0 && !overloaded(state, n)) return;
  for (JobSlot job : residents.on(n)) group_.add(job);
}

void Yields::solve(const ClusterView& view, const ClusterState& state, const Residents& residents) {
  const auto jobs_on = [&](NodeIndex n) { return residents.on(n); };
  const bool whole = group_.grow(state, jobs_on, most_tied_);
  group_.sort(state);
  contention_.build(state, view, group_.nodes(), group_.jobs());
  if (!whole) reserve_for_others(view, state, residents);
  found_.resize(contention_.jobs().size());
  if (rule_ == TriageParts::Yields::equal) {
    equal_.solve(contention_, found_);
    return;
  }
  weights_.clear();
  for (const CpuContention::Job& job : contention_.jobs()) {
    weights_.push_back(yield_weight(view.jobs[job.slot], at_, options_, run_time_of(job.slot)));
  }
  weighted_.solve(contention_, weights_, found_);
}

void Yields::reserve_for_others(const ClusterView& view, const ClusterState& state, const Residents& residents) {
  for (std::uint32_t k = 0; k < group_.nodes().size(); ++k) {
    const CpuContention::Node& node = contention_.nodes()[k];
    const NodeIndex n = group_.nodes()[k];
    if (node.count == residents.on(n).size()) continue;  // all are in the part
    double part = 0;
    for (const CpuContention::User& user : contention_.users(node)) {
      part += user.need * yield_[contention_.jobs()[user.job].slot];
    }
    const double others = std::max(0.0, used_on(view, state, residents, n) - part);
    // A node with jobs outside the part has no new jobs, so the part may keep what it has there in spite of rounding.
    contention_.limit_capacity(k, std::max(part, state.cpu_capacity(n) - others));
  }
}

// The CPU that the jobs on the node use at their yields. O(tasks of these jobs), O(1) if nothing has changed since.
double Yields::used_on(const ClusterView& view, const ClusterState& state, const Residents& residents, NodeIndex n) {
  Used& used = used_[n];
  if (used.version == residents.changes(n)) return used.cpu;
  used = {0, residents.changes(n)};
  for (JobSlot job : residents.on(n)) used.cpu += need_on(view, state, job, n) * yield_[job];
  return used.cpu;
}

void Yields::keep(const ClusterView& view, const ClusterState& state) {
  for (NodeIndex n : seeds_) overloaded_[n] = overloaded(state, n) ? 1 : 0;
  // Nodes whose jobs have new needs are among these, too. Nobody asks what is used on a node before it is overloaded.
  for (NodeIndex n : group_.nodes()) used_[n] = {};
  std::size_t limited = 0;  // contention_.jobs() is a subsequence of group_.jobs()
  for (JobSlot job : group_.jobs()) {
    const bool is_limited = limited < found_.size() && contention_.jobs()[limited].slot == job;
    set(view, job, is_limited ? found_[limited++] : 1, is_limited);
  }
}

void Yields::set(const ClusterView& view, JobSlot job, double yield, bool limited) {
  yield_[job] = yield;
  limited_[job] = limited ? 1 : 0;
  const bool varies = rule_ == TriageParts::Yields::urgent && weight_varies(view.jobs[job], at_);
  if (limited && varies) {
    watch_[job] = WeightWatch(view.jobs[job], at_, yield, options_, run_time_of(job));
  } else {
    watch_[job] = WeightWatch();
  }
  look_[job] = watch_[job].at_least();
  set_.push_back(job);
}

bool Yields::move_pays(const ClusterView& view, const ClusterState& state, const Residents& residents, JobSlot job,
                       std::span<const NodeIndex> old_nodes, Seconds lasts, double price) {
  begin_part(state);
  group_.add(job);
  each_node(old_nodes, [&](NodeIndex n) { seed_node(n, state, residents); });
  each_node(state.nodes_of(job), [&](NodeIndex n) { seed_node(n, state, residents); });
  solve(view, state, residents);
  double before = 0;
  double after = 0;
  std::size_t limited = 0;
  for (JobSlot other : group_.jobs()) {
    double yield = 1;
    if (limited < found_.size() && contention_.jobs()[limited].slot == other) yield = found_[limited++];
    const double need = view.jobs[other].cpu_need * view.jobs[other].tasks;
    before += need * yield_[other];
    after += need * yield;
  }
  const double gained = (before < after && same_quality(before, after) ? 0 : after - before) * lasts;
  const bool pays = gained > price && !same_quality(price, gained);
  if (pays) state.explain({ReasonKind::move_pays, job, kNoSlot, gained, price});
  return pays;
}

void Yields::keep_move(const ClusterView& view, const ClusterState& state) {
  keep(view, state);
  note_update(state);
}

bool Yields::anyone_limited(const ClusterState& state) const {
  return std::any_of(state.active().begin(), state.active().end(),
                     [&](JobSlot job) { return limited_[job] != 0 && state.placed(job); });
}

// Whether the job's weight needs a look by that instant.
bool Yields::look_due(JobSlot job, Seconds until) {
  WeightWatch& watch = watch_[job];
  while (!watch.known() && watch.at_least() <= until) watch.step(options_);
  look_[job] = watch.at_least();
  return look_[job] <= until;
}

Seconds Yields::next_look(const ClusterState& state) {
  if (overdue_) return at_.now + kLookOn * options_.time_scale;
  Seconds next = kNever;
  for (JobSlot job : state.active()) {
    if (look_[job] < next && state.placed(job) && look_due(job, next)) next = look_[job];
  }
  return next;
}

void Yields::append_changes(const ClusterView& view, const ClusterState& state, Outcome& outcome) {
  std::sort(set_.begin(), set_.end(), [&](JobSlot a, JobSlot b) { return state.order(a) < state.order(b); });
  set_.erase(std::unique(set_.begin(), set_.end()), set_.end());
  for (JobSlot job : set_) {
    if (!state.placed(job)) continue;
    const JobView& spec = view.jobs[job];
    if (!state.stays(job, spec) || yield_[job] != spec.yield) outcome.yields->push_back({job, yield_[job]});
  }
}

}  // namespace dfrs::triage
