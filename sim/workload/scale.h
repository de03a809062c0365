// SPDX-License-Identifier: GPL-2.0-or-later
// Offered load, and scaling of arrivals to change it (RR-7659, section 5.3.2).
#pragma once

#include "sim/errors.h"
#include "sim/host/instance.h"

namespace dfrs::sim {

/// Work that arrives per time and capacity: sum of tasks x cpu_need x run_time over |P| x (last - first submission).
/// Errors: kExitInput naming the instance if it has no jobs or all are submitted at one instant.
Result<double> offered_load(const Instance& instance);

/// A copy of `instance` with all times between submissions multiplied by one factor, so that its offered load is
/// `load`. The first submission keeps its time. The copy is named "<name>-load-<load>", such as lublin-1-load-0.7.
/// Errors: kExitUsage unless 0 < load <= 1000; kExitInput as for offered_load, if there is no work, or if the scaled
/// times exceed the limit of traces.
Result<Instance> scaled_to_load(const Instance& instance, double load);

/// Multiplies all times between submissions by `factor` (the shrinking factor of Streit 2003, section 5). Keeps the
/// time of the first submission and the name. Errors: kExitUsage unless 0 < factor <= 1000; kExitInput if the last
/// submission would exceed the limit of traces.
[[nodiscard]] Result<void> shrink(Instance& instance, double factor);

}  // namespace dfrs::sim
