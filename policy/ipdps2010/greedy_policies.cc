// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/ipdps2010/greedy_policies.h"

#include <algorithm>

#include "policy/yield/yield_changes.h"

namespace dfrs::ipdps2010 {
void GreedyYields::set(const ClusterView& view, const ClusterState& state, Outcome& outcome) {
  contention_.build(state, view);
  yields_.resize(contention_.jobs().size());
  rule_.solve(contention_, view, kNever, yields_);
  append_yield_changes(contention_, yields_, view, state, outcome);
}

void GreedyBackoff::decide(const ClusterView& view, std::span<const Event> events, ClusterState& state,
                           Outcome& outcome) {
  for (const Event& event : events) {
    if (event.kind == EventKind::completed) backoff_.forget(event.job);  // cancelled while it waited
  }
  const bool resync = has_event(events, EventKind::resync);
  if (resync) {
    backoff_.clear();
    for (JobSlot job : state.active()) {
      if (!state.placed(job)) attempt(view, state, job);
    }
  } else {
    const std::span<const JobSlot> due = backoff_.due(view.now);
    due_.assign(due.begin(), due.end());
    for (JobSlot job : due_) attempt(view, state, job);
    for (const Event& event : events) {
      if (event.kind == EventKind::submitted) attempt(view, state, event.job);
    }
  }
  if (resync || has_event(events, EventKind::completed) || has_event(events, EventKind::changed) ||
      !state.touched().empty())
    yields_.set(view, state, outcome);
  outcome.wake_at = backoff_.next();
}

void GreedyBackoff::attempt(const ClusterView& view, ClusterState& state, JobSlot job) {
  if (greedy_.place(state, view, job)) {
    backoff_.forget(job);
  } else {
    state.explain({ReasonKind::next_try, job, kNoSlot, backoff_.failed(job, view.now)});
  }
}

void GreedyPausePolicy::decide(const ClusterView& view, std::span<const Event> events, ClusterState& state,
                               Outcome& outcome) {
  // Submissions may come with the resync of the first call, so they are tried in any case.
  for (const Event& event : events) {
    if (event.kind == EventKind::submitted) pauser_.admit(state, view, event.job, rule_, Victims::pause);
  }
  if (!events.empty()) resume(view, state);
  if (has_event(events, EventKind::resync) || has_event(events, EventKind::completed) ||
      has_event(events, EventKind::changed) || !state.touched().empty()) {
    yields_.set(view, state, outcome);
  }
}

void GreedyPausePolicy::resume(const ClusterView& view, ClusterState& state) {
  paused_.clear();
  for (JobSlot job : state.active()) {
    if (state.placed(job)) continue;
    const bool paused_now = view.jobs[job].state == JobState::running;
    if (paused_now && victims_ == Victims::pause) continue;
    paused_.push_back(rank(job, view, state, rule_));
  }
  std::sort(paused_.begin(), paused_.end(), RankedJob::higher);
  for (const RankedJob& ranked : paused_) greedy_.place(state, view, ranked.job);
}

}  // namespace dfrs::ipdps2010
