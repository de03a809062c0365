// SPDX-License-Identifier: GPL-2.0-or-later
// The figures of Streit's trace analyser for a set of jobs (Streit 2003, tables 2 and 3).
#pragma once

#include <cstddef>

#include "sim/errors.h"
#include "sim/host/instance.h"
#include "sim/workload/weibull.h"

namespace dfrs::sim {

struct Spread {
  double mean = 0;
  double min = 0;
  double max = 0;
};

struct TraceAnalysis {
  std::size_t jobs = 0;
  std::size_t machine_width = 0;  ///< processors
  int max_width = 0;
  double mean_width = 0;
  Spread estimate;           ///< s
  Spread run_time;           ///< s, as in the log
  std::size_t overruns = 0;  ///< jobs that run longer than estimated
  Spread interarrival;       ///< s
  WeibullFit arrivals;       ///< fitted to the times between submissions
};

/// Widths are tasks. Errors: kExitInput for an instance with fewer than two jobs. O(n log n).
Result<TraceAnalysis> analyse_trace(const Instance& instance);

}  // namespace dfrs::sim
