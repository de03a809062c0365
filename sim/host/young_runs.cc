// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/host/young_runs.h"

#include <algorithm>

#include "policy/core/requeue_rule.h"

namespace dfrs::sim {

void YoungRuns::begin(JobSlot job) {
  JobView& view = slots_.view(job);
  view.flags.may_not_pause = view.flags.may_not_move = true;
  runs_.push_back({job, view.clock.base});
}

void YoungRuns::update(Seconds now) {
  std::erase_if(runs_, [&](const Run& run) {
    JobView& view = slots_.view(run.job);
    if (view.state != JobState::running) return true;  // it has completed
    if (!may_end_run(view.clock.at(now) - run.gained_before, min_progress_)) return false;
    view.flags.may_not_pause = false;
    view.flags.may_not_move = slots_.truth(run.job).stays;
    return true;
  });
}

Seconds YoungRuns::next_end(Seconds now) const {
  Seconds next = kNever;
  for (const Run& run : runs_) {
    const JobView& view = slots_.view(run.job);
    if (view.state != JobState::running || !(view.clock.rate > 0)) continue;
    const Seconds left = std::max(0.0, min_progress_ - (view.clock.at(now) - run.gained_before));
    next = std::min(next, std::max(now, view.clock.since) + left / view.clock.rate);
  }
  return next;
}

}  // namespace dfrs::sim
