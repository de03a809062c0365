// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <functional>

#include "sim/host/simulation.h"

namespace dfrs::sim {

/// Called with the number of completed jobs, and of all.
using Completions = std::function<void(std::size_t done, std::size_t total)>;

/// simulate(), which calls `progress` with the number of completed jobs, of all, after each event.
RunResult simulate(const Instance& instance, const Algorithm& algorithm, const SimOptions& options,
                   StepObserver* observer, const Completions& progress);

}  // namespace dfrs::sim
