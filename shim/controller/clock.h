// SPDX-License-Identifier: GPL-2.0-or-later
// A job's virtual clock in a live cluster: it runs only while Slurm runs the job, at the yield that its quota has.
#pragma once

#include "policy/view.h"

namespace dfrs::shim {

/// From `now` on the clock runs at `rate`; what it reads stays.
inline void set_rate(VirtualClock& clock, Seconds now, double rate) { clock = {clock.at(now), now, rate}; }

inline void stop_clock(VirtualClock& clock, Seconds now) { set_rate(clock, now, 0); }

inline void reset_clock(VirtualClock& clock, Seconds now, Seconds reading) { clock = {reading, now, 0}; }

}  // namespace dfrs::shim
