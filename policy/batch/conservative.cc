// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/batch/conservative.h"

#include <algorithm>

namespace dfrs {

void ConservativePolicy::step(const ClusterView& view, const Estimates& estimates, std::span<const Event> events,
                              ClusterState& state, Outcome& outcome) {
  queue_.take(view, estimates, events, state, changes_);
  if (!plan_stands(changes_, view.now)) {
    if (algorithm_.compress && queue_.equal_nodes()) {
      compress(view, state);
    } else {
      queue_.plan_all(view, state, algorithm_.order, timetable_, plan_);
    }
  } else {
    queue_.plan_arrived(view, state, changes_, timetable_);
  }
  started_.clear();
  queue_.start_due(view, state, timetable_, outcome, started_);
}

void ConservativePolicy::compress(const ClusterView& view, const ClusterState& state) {
  queue_.begin_plan(view, state, timetable_);
  // All jobs keep their starts, or get the next one if a job that outlasts its estimate is in the way. New jobs follow.
  plan_.clear();
  for (const JobSlot job : queue_.waiting(algorithm_.order)) plan_.push_back({job, queue_.job(job).planned, kNever});
  std::stable_sort(plan_.begin(), plan_.end(),
                   [](const PlannedStart& a, const PlannedStart& b) { return a.start < b.start; });
  for (const PlannedStart& kept : plan_) {
    const Seconds not_before = kept.start == kNever ? view.now : std::max(kept.start, view.now);
    queue_.set_planned(kept.job, queue_.place(view, state, kept.job, not_before, timetable_));
  }
  for (const JobSlot job : queue_.waiting(algorithm_.order)) {
    const PlanJob& facts = queue_.job(job);
    if (facts.planned == kNever) continue;
    timetable_.count.give(facts.planned, facts.planned + facts.duration, facts.nodes);
    queue_.set_planned(job, queue_.place(view, state, job, view.now, timetable_));
  }
}

}  // namespace dfrs
