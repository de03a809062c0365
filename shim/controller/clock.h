// SPDX-License-Identifier: GPL-2.0-or-later
// A job's virtual clock in a live cluster: it runs only while Slurm runs the job, at the yield that its quota has.
#pragma once

#include <algorithm>

#include "policy/core/view.h"
#include "shim/controller/job.h"

namespace dfrs::shim {

/// From `now` on the clock runs at `rate`; what it reads stays.
inline void set_rate(VirtualClock& clock, Seconds now, double rate) { clock = {clock.at(now), now, rate}; }

inline void stop_clock(VirtualClock& clock, Seconds now) { set_rate(clock, now, 0); }

inline void reset_clock(VirtualClock& clock, Seconds now, Seconds reading) { clock = {reading, now, 0}; }

/// A running job gets another yield where it is. A lower one counts at once, a higher one (if `confirm`) only when the
/// agents have taken it: no time limit may strike for CPU that the job never had.
inline void grant_yield(Job& job, Seconds now, double yield, bool confirm) {
  job.progress.granted_yield = yield;
  job.progress.raise_unconfirmed = confirm && yield > job.progress.clock.rate;
  set_rate(job.progress.clock, now, job.progress.raise_unconfirmed ? job.progress.clock.rate : yield);
}

}  // namespace dfrs::shim
