// SPDX-License-Identifier: GPL-2.0-or-later
// Jobs on parts of equal nodes of CPU 1, word by word: batch scheduling where no CPU is shared, and gangs in time
// slices. What is free is added up from all placements each time it is asked for.
#pragma once

#include "policy/batch/algorithm.h"
#include "sim/host/instance.h"
#include "tests/oracle/simulator.h"

namespace dfrs::oracle {

/// FCFS/shared and EASY/shared. Each job fits the empty cluster.
Simulated simulate_shared_plainly(const sim::Instance& instance, const BatchAlgorithm& algorithm,
                                  const SimulatorOptions& options);

/// GANG. `rows`: jobs a core.
Simulated simulate_gang_plainly(const sim::Instance& instance, std::size_t rows, Seconds slice);

}  // namespace dfrs::oracle
