// SPDX-License-Identifier: GPL-2.0-or-later
// Metrics of one run and statistics over runs, as the papers define them.
#pragma once

#include <span>

#include "sim/host/simulation.h"

namespace dfrs::sim {

/// Bounded stretch of a job: max(turnaround, b) / max(processing time, b), b = `floor` (RR-7659, section 2.2: 10 s;
/// IPDPS 2010: 30 s). >= 1 up to rounding.
double bounded_stretch(const Job& job, const JobRecord& record, Seconds floor);

struct Metrics {
  double max_stretch = 1;
  double mean_stretch = 1;
  double stretch_p50 = 1;  ///< percentiles over the jobs, nearest rank
  double stretch_p90 = 1;
  double stretch_p95 = 1;
  double stretch_p99 = 1;
  double mean_wait = 0;        ///< first start - submission, s
  double mean_turnaround = 0;  ///< s
  Seconds makespan = 0;        ///< last completion - first submission, s
  double utilization = 0;      ///< work / (|P| x makespan)
  /// Normalized underutilization (RR-7659, section 6.4.1): (integral of min(|P|, demand) - work done) / work.
  double underutilization = 0;
  double pauses = 0;  ///< how many, of all jobs
  double moves = 0;
  double pauses_per_job = 0;
  double moves_per_job = 0;
  double pauses_per_hour = 0;  ///< over the makespan
  double moves_per_hour = 0;
  double pause_gb_per_s = 0;  ///< memory of paused jobs, GB = 1024 MiB, over the makespan
  double move_gb_per_s = 0;
  /// Measures of the dynP papers, weighted by tasks (Streit 2003, section 5.1). In batch runs they are those of
  /// ScheduleMetrics; here a slowdown is relative to the processing time, so that they say the same of shared nodes.
  double response_by_width = 0;    ///< ARTwW: mean turnaround, s
  double slowdown60_by_width = 1;  ///< SLDwW: turnaround / processing time, both at least 60 s
  /// LOC: node seconds without a task while some job has no nodes / (nodes x makespan).
  double loss_of_capacity = 0;
  double work_lost = 0;       ///< work of runs that pauses and moves ended for good, relative to all work
  double losses_per_job = 0;  ///< such runs
  /// Of jobs of up to kShortJob of work: first start - submission, s; 0 without such jobs.
  double short_wait = 0;
  double short_wait_p95 = 0;
  /// Jain's index of the users' mean bounded stretches (Jain, Chiu and Hawe, DEC-TR-301, 1984): 1 if all are equal, 1 /
  /// users if one user has all of it. Without known users 1.
  double user_fairness = 1;
  double worst_user = 1;  ///< the highest of these means
};

/// Up to this run time a job counts as short.
inline constexpr Seconds kShortJob = 600;

Metrics measure(const Instance& instance, const RunResult& run, Seconds stretch_floor = 10);

/// The value of `sorted` (ascending, not empty) at this rank: the least that at least `share` of the values do not
/// exceed.
double nearest_rank(std::span<const double> sorted, double share);
/// The same of values in any order, which it reorders. O(n), faster after a lower share.
double take_nearest_rank(std::span<double> values, double share);

struct Summary {
  std::size_t count = 0;
  double mean = 0;
  double stddev = 0;  ///< of the sample, n - 1
  double median = 0;
  double p90 = 0;  ///< nearest rank
  double max = 0;
};

/// All zero without values. O(n log n).
Summary summarize(std::span<const double> values);

}  // namespace dfrs::sim
