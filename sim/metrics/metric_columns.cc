// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/metrics/metric_columns.h"

#include <array>

namespace dfrs::sim {

std::span<const MetricColumn> metric_columns() {
  using M = Metrics;
  static constexpr std::array<MetricColumn, 28> columns{{
      {"max_stretch", &M::max_stretch},
      {"mean_stretch", &M::mean_stretch},
      {"mean_wait_s", &M::mean_wait},
      {"mean_turnaround_s", &M::mean_turnaround},
      {"makespan_s", &M::makespan},
      {"utilization", &M::utilization},
      {"underutilization", &M::underutilization},
      {"pauses_per_job", &M::pauses_per_job},
      {"moves_per_job", &M::moves_per_job},
      {"pauses_per_hour", &M::pauses_per_hour},
      {"moves_per_hour", &M::moves_per_hour},
      {"pause_gb_per_s", &M::pause_gb_per_s},
      {"move_gb_per_s", &M::move_gb_per_s},
      {"stretch_p50", &M::stretch_p50, true},
      {"stretch_p90", &M::stretch_p90, true},
      {"stretch_p95", &M::stretch_p95, true},
      {"stretch_p99", &M::stretch_p99, true},
      {"pauses", &M::pauses, true},
      {"moves", &M::moves, true},
      {"response_by_width_s", &M::response_by_width, true},
      {"slowdown60_by_width", &M::slowdown60_by_width, true},
      {"loss_of_capacity", &M::loss_of_capacity, true},
      {"work_lost", &M::work_lost, true},
      {"losses_per_job", &M::losses_per_job, true},
      {"short_wait_s", &M::short_wait, true},
      {"short_wait_p95_s", &M::short_wait_p95, true},
      {"user_fairness", &M::user_fairness, true},
      {"worst_user_stretch", &M::worst_user, true},
  }};
  // A metric that is not in the table does not compile.
  static_assert(sizeof(Metrics) == columns.size() * sizeof(double));
  return columns;
}

}  // namespace dfrs::sim
