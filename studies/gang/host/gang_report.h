// SPDX-License-Identifier: GPL-2.0-or-later
// Formats gang experiments as text for a terminal, CSV and JSON.
#pragma once

#include <string>
#include <vector>

#include "studies/gang/host/experiment.h"
#include "studies/study_origin.h"

namespace dfrs::sim {

struct GangReport {
  struct Row {
    GangExperiment experiment;
    std::vector<GangMetrics> runs;  ///< one per replication, at least one
  };
  GangWorkloadOptions workload;  ///< of all rows
  std::uint64_t seed = 1;
  std::vector<Row> rows;
  StudyOrigin origin;

  /// CPE of LJFS against AFCFS with equal other settings; for rows of LJFS if there is a matching row of AFCFS.
  std::optional<ConfidenceInterval> cost_performance_of(const Row& row) const;
  /// Whether response times grow through the runs: by more than their mean (GangMetrics::response_rise), and by more
  /// than half of it within the confidence interval. The machines then cannot keep up, and means depend on the length
  /// of runs.
  static bool growing(const Row& row);
  /// Whether the confidence interval of the response time, bounded slowdown, lease time or number of machines is wider
  /// than its mean: the replications do not agree. False with one replication, which has no interval.
  static bool wide(const Row& row);
  static bool unstable(const Row& row) { return wide(row) || growing(row); }
};

/// Means with half-widths of their confidence intervals, a line per row, and a legend.
std::string text_report(const GangReport& report);
/// A line per row with all digits; the column `unstable` is 1 or 0.
std::string csv_report(const GangReport& report);
/// A line per row and replication with all digits.
std::string csv_runs(const GangReport& report);
/// {"lambda", "q", ..., "rows": [{"scheduler", ..., "response_time": {"mean", "half_width"}, ...}]}; half_width is null
/// with one replication.
std::string json_report(const GangReport& report);

}  // namespace dfrs::sim
