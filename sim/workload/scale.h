// SPDX-License-Identifier: GPL-2.0-or-later
// Offered load, and the same jobs arriving faster or slower (RR-7659, section 5.3.2).
#pragma once

#include "sim/host/instance.h"

namespace dfrs::sim {

/// Work that arrives per time and capacity: sum of tasks x cpu_need x run_time over |P| x (last - first submission).
/// Errors: InputError naming the instance if all its jobs are submitted at one instant, or it has none.
double offered_load(const Instance& instance);

/// `instance` with all times between submissions multiplied by one factor, so that its offered load is `load`. The
/// first submission stays where it is. Named "<name>-load-<load>", such as lublin-1-load-0.7. Errors: UsageError unless
/// 0 < load <= 1000; InputError as of offered_load, if there is no work, or if the scaled times would exceed what a
/// trace may hold.
Instance scaled_to_load(const Instance& instance, double load);

/// All times between submissions of `instance` multiplied by `factor` (the shrinking factor of Streit 2003, section 5).
/// The first submission stays where it is, and the name. Errors: UsageError unless 0 < factor <= 1000; InputError if
/// the last submission would come later than a trace may last.
void shrink(Instance& instance, double factor);

}  // namespace dfrs::sim
