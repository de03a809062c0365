// SPDX-License-Identifier: GPL-2.0-or-later
// Made-up results for tests of reports.
#pragma once

#include <string>
#include <vector>

#include "sim/campaign/results.h"

namespace dfrs::sim {

/// A result with the degradation `max_stretch` / `bound`; 100 jobs, load 0.5, the rest as Metrics has it.
inline ResultRow result(const std::string& instance, const std::string& algorithm, double max_stretch,
                        double bound = 1) {
  ResultRow row;
  row.instance = instance;
  row.algorithm = algorithm;
  row.jobs = 100;
  row.load = 0.5;
  row.bound_divisible = bound;
  row.metrics.max_stretch = max_stretch;
  return row;
}

inline const std::string kPm = "GreedyPM*/per/OPT=MIN/MINVT=600";

/// Bounds 2 and 1; degradations EASY 100 and 300, GreedyPM*... 2 and 6.
inline std::vector<ResultRow> two_by_two() {
  std::vector<ResultRow> rows{result("a", "EASY", 200, 2), result("a", kPm, 4, 2), result("b", "EASY", 300),
                              result("b", kPm, 6)};
  for (std::size_t k : {1U, 3U}) {
    Metrics& m = rows[k].metrics;
    m.mean_stretch = 1.5;
    m.underutilization = k == 1 ? 0.25 : 0.5;
    m.pauses_per_job = k == 1 ? 1 : 2;
    m.moves_per_job = k == 1 ? 0.5 : 1;
    m.pause_gb_per_s = 0.125;
    m.move_gb_per_s = 0.25;
  }
  for (std::size_t k : {0U, 2U}) {
    rows[k].metrics.mean_stretch = 12;
    rows[k].metrics.mean_wait = 60;
    rows[k].metrics.underutilization = 0.125;
  }
  return rows;
}

}  // namespace dfrs::sim
