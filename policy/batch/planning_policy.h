// SPDX-License-Identifier: GPL-2.0-or-later
// Base of the policies that plan full schedules: makes a step per instant or per event, and asks to be called at the
// next planned start.
#pragma once

#include <algorithm>
#include <span>

#include "policy/batch/options.h"
#include "policy/batch/planning_queue.h"
#include "policy/core/policy.h"

namespace dfrs {

class PlanningPolicy : public BatchPolicy {
 public:
  void decide(const ClusterView& view, const Estimates& estimates, std::span<const Event> events, ClusterState& state,
              Outcome& outcome) final {
    const bool resync = has_event(events, EventKind::resync);
    if (pass_per_event_ && !resync && !events.empty()) {
      for (std::size_t k = 0; k < events.size(); ++k) step(view, estimates, events.subspan(k, 1), state, outcome);
    } else {
      step(view, estimates, events, state, outcome);
    }
    outcome.wake_at = queue_.next_start(view.now);
  }

 protected:
  explicit PlanningPolicy(const BatchOptions& options)
      : queue_(options.pack_tasks), pass_per_event_(options.pass_per_event) {}

  virtual void step(const ClusterView& view, const Estimates& estimates, std::span<const Event> events,
                    ClusterState& state, Outcome& outcome) = 0;

  /// Whether the current plan survives the changes, so that new jobs can be added to it.
  bool plan_stands(const PlanningQueue::QueueChanges& changes, Seconds now) const {
    return !changes.ended && !queue_.overdue(now) && queue_.equal_nodes() &&
           std::all_of(changes.arrived.begin(), changes.arrived.end(),
                       [&](JobSlot job) { return queue_.job(job).variable(); });
  }

  PlanningQueue queue_;

 private:
  bool pass_per_event_;
};

}  // namespace dfrs
