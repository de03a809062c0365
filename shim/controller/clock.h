// SPDX-License-Identifier: GPL-2.0-or-later
// A job's virtual clock in a live cluster: it runs while Slurm runs the job, at the yield of the job's quota.
#pragma once

#include <algorithm>

#include "policy/core/view.h"
#include "shim/controller/job.h"

namespace dfrs::shim {

/// From `now` on the clock runs at `rate`, from its present reading.
inline void set_rate(VirtualClock& clock, Seconds now, double rate) { clock = {clock.at(now), now, rate}; }

inline void stop_clock(VirtualClock& clock, Seconds now) { set_rate(clock, now, 0); }

inline void reset_clock(VirtualClock& clock, Seconds now, Seconds reading) { clock = {reading, now, 0}; }

/// Gives a running job another yield. A lower one counts at once; a higher one, if `confirm`, only once the agents have
/// applied it: a time limit must not count CPU that the job never had. During an attempt to checkpoint the job, the
/// clock stands still.
inline void grant_yield(Job& job, Seconds now, double yield, bool confirm) {
  job.progress.granted_yield = yield;
  if (job.checkpointing.phase != Checkpointing::Phase::none) return;
  job.progress.raise_unconfirmed = confirm && yield > job.progress.clock.rate;
  set_rate(job.progress.clock, now, job.progress.raise_unconfirmed ? job.progress.clock.rate : yield);
}

/// Gives a run that begins its yield. Of a job that ran before, an agent that is away may still have the quota of that
/// run, so the clock runs at the lower of both until the agents have applied the new one.
inline void grant_first_yield(Job& job, Seconds now, double yield, bool confirm) {
  const bool again = confirm && job.restarts > 0;
  set_rate(job.progress.clock, now, again ? std::min(job.progress.granted_yield, yield) : yield);
  grant_yield(job, now, yield, again);
}

}  // namespace dfrs::shim
