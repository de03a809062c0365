// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sim/campaign/parallel.h"
#include "sim/host/simulation.h"

namespace dfrs::sim {

/// simulate(), which calls `progress` with the number of completed jobs, of all, after each event.
RunResult simulate(const Instance& instance, const Algorithm& algorithm, const SimOptions& options,
                   StepObserver* observer, const Progress& progress);

}  // namespace dfrs::sim
