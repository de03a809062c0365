// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/rr7659/dfrs_policy.h"

#include <algorithm>
#include <cmath>

#include "policy/yield/yield_changes.h"

namespace dfrs {

using Submission = DfrsAlgorithm::Submission;
using Periodic = DfrsAlgorithm::Periodic;
using Objective = DfrsAlgorithm::Objective;

DfrsPolicy::DfrsPolicy(const DfrsAlgorithm& algorithm, const DfrsOptions& options)
    : algorithm_(algorithm),
      period_(options.period),
      rule_{options.priority_floor},
      ticks_apart_(options.ticks_apart),
      pauser_(algorithm.places_first),
      repack_(algorithm.ties) {}

DfrsPolicy::DfrsPolicy(const DfrsAlgorithm& algorithm, const DfrsOptions& options, std::unique_ptr<YieldRule> yields)
    : DfrsPolicy(algorithm, options) {
  yield_rule_ = std::move(yields);
}

bool DfrsPolicy::yields_follow_progress() const {
  if (yield_rule_) return yield_rule_->follows_progress();
  return algorithm_.objective == Objective::max_stretch || algorithm_.objective == Objective::avg_stretch;
}

void DfrsPolicy::decide(const ClusterView& view, std::span<const Event> events, ClusterState& state, Outcome& outcome) {
  std::size_t arrivals = 0;
  bool completions = false;
  bool resync = false;
  bool needs_changed = false;
  for (const Event& event : events) {
    arrivals += event.kind == EventKind::submitted ? 1 : 0;
    completions = completions || event.kind == EventKind::completed;
    resync = resync || event.kind == EventKind::resync;
    needs_changed = needs_changed || event.kind == EventKind::changed;
  }
  const bool due = tick_due(view.now, resync);
  // A tick that coincides with submissions or completions gets a call of its own right after theirs. By then the jobs
  // that they started run, and moving them costs a penalty (simulation semantics, rules 5 and 7).
  const bool postponed = due && ticks_apart_ && (arrivals != 0 || completions);
  const bool tick = due && !postponed;
  if (tick) set_next_tick(view.now);

  // A resync may mean room although no job completed: a node has come back, or a job's limits have changed.
  const bool room_may_have_come = completions || resync;
  const bool by_mcb8 = algorithm_.on_submission == Submission::mcb8;
  if (room_may_have_come && algorithm_.opportunistic && !by_mcb8) start_opportunistically(view, state, arrivals);
  for (const Event& event : events) {
    if (event.kind == EventKind::submitted) admit(view, state, event.job);
  }
  // One repack serves all events of the instant: a second one would find the same mapping.
  const bool mcb8_now = by_mcb8 && (arrivals != 0 || (room_may_have_come && algorithm_.opportunistic));
  if (tick || mcb8_now) repack(view, state, tick);
  if (tick && algorithm_.fills) start_opportunistically(view, state, 0);

  // Yields depend on the mapping. Those for stretch also depend on progress, so a tick sets them, too.
  if (room_may_have_come || needs_changed || !state.touched().empty() || (tick && yields_follow_progress())) {
    set_yields(view, events, resync, state, outcome);
  }

  if (state.active().empty()) next_tick_ = kNever;
  outcome.wake_at = postponed ? view.now : next_tick_;
}

bool DfrsPolicy::tick_due(Seconds now, bool resync) {
  if (algorithm_.periodic == Periodic::nothing) return false;
  if (next_tick_ == kNever || (resync && next_tick_ > now)) next_tick_ = std::ceil(now / period_) * period_;
  return now >= next_tick_;
}

void DfrsPolicy::set_next_tick(Seconds now) {
  next_tick_ = (std::floor(now / period_) + 1) * period_;
  // Far from the epoch, rounding may swallow a short period. The next tick must lie in the future.
  if (!(next_tick_ > now)) next_tick_ = std::nextafter(now + period_, kNever);
}

void DfrsPolicy::start_opportunistically(const ClusterView& view, ClusterState& state, std::size_t arrivals) {
  waiting_.clear();
  const std::span<const JobSlot> known = state.active().first(state.active().size() - arrivals);
  for (JobSlot job : known) {
    if (!state.placed(job)) waiting_.push_back(rank(job, view, state, rule_));
  }
  std::sort(waiting_.begin(), waiting_.end(), RankedJob::higher);
  for (const RankedJob& ranked : waiting_) greedy_.place(state, view, ranked.job);
}

void DfrsPolicy::admit(const ClusterView& view, ClusterState& state, JobSlot job) {
  switch (algorithm_.on_submission) {
    case Submission::nothing:
      state.explain({ReasonKind::next_tick, job, kNoSlot, next_tick_});
      break;
    case Submission::mcb8:
      break;
    case Submission::greedy:
      greedy_.place(state, view, job);
      break;
    case Submission::greedy_p:
      pauser_.admit(state, view, job, rule_, Victims::pause);
      break;
    case Submission::greedy_pm:
      pauser_.admit(state, view, job, rule_, Victims::move);
      break;
  }
}

void DfrsPolicy::repack(const ClusterView& view, ClusterState& state, bool tick) {
  if (tick && algorithm_.periodic == Periodic::mcb8_stretch) {
    const auto out_of_reach = yield_rule_ ? Repack::OutOfReach::full_speed : Repack::OutOfReach::fails;
    repack_.min_stretch(state, view, rule_, algorithm_.limit, period_, out_of_reach,
                        algorithm_.fine ? kFineAccuracy : kYieldAccuracy);
  } else {
    repack_.max_yield(state, view, rule_, algorithm_.limit);
  }
}

void DfrsPolicy::set_yields(const ClusterView& view, std::span<const Event> events, bool everything,
                            const ClusterState& state, Outcome& outcome) {
  // Max-min yields are computed only where they may have changed; those of other objectives depend on all jobs or on
  // the time.
  if (!yield_rule_ && algorithm_.objective == Objective::min_yield) {
    part_.find(view, events, everything, state, contention_);
  } else {
    contention_.build(state, view);
  }
  yields_.resize(contention_.jobs().size());
  solve(view);
  append_yield_changes(contention_, yields_, view, state, outcome);
}

void DfrsPolicy::solve(const ClusterView& view) {
  if (yield_rule_) return yield_rule_->solve(contention_, view, to_next_tick(view.now), yields_);
  switch (algorithm_.objective) {
    case Objective::min_yield:
      return max_min_.solve(contention_, yields_);
    case Objective::avg_yield:
      return average_.solve(contention_, yields_);
    case Objective::max_stretch:
      solve_stretch(view);
      return min_max_stretch(contention_, estimates_, kYieldAccuracy, yields_);
    case Objective::avg_stretch:
      solve_stretch(view);
      return average_stretch_.solve(contention_, estimates_, kYieldAccuracy, yields_);
  }
}

Seconds DfrsPolicy::to_next_tick(Seconds now) const {
  // A postponed tick comes at this very instant; yields are set for the time up to the next one.
  return next_tick_ > now && next_tick_ < kNever ? next_tick_ - now : period_;
}

void DfrsPolicy::solve_stretch(const ClusterView& view) {
  const Seconds rest = to_next_tick(view.now);
  estimates_.clear();
  for (const CpuContention::Job& job : contention_.jobs()) {
    const JobView& spec = view.jobs[job.slot];
    estimates_.push_back({spec.flow_time(view.now) + rest, spec.virtual_time(view.now), rest});
  }
}

}  // namespace dfrs
