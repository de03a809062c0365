// SPDX-License-Identifier: GPL-2.0-or-later
// Jobs on parts of equal nodes of CPU 1, word by word: batch scheduling where no CPU is shared or some jobs share it,
// and gangs in time slices. What is free is added up from all placements each time it is asked for.
#pragma once

#include "policy/batch/algorithm.h"
#include "sim/host/instance.h"
#include "tests/oracle/simulator.h"

namespace dfrs::oracle {

/// FCFS/shared and EASY/shared, with so many jobs a core. Each job fits the empty cluster. With several jobs a core
/// run times are not predicted, and no two of them end at the same time.
Simulated simulate_shared_plainly(const sim::Instance& instance, const BatchAlgorithm& algorithm,
                                  const SimulatorOptions& options, int jobs_a_core = 1);

/// GANG. `rows`: jobs a core.
Simulated simulate_gang_plainly(const sim::Instance& instance, std::size_t rows, Seconds slice);

}  // namespace dfrs::oracle
