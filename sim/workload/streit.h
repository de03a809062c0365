// SPDX-License-Identifier: GPL-2.0-or-later
// Streit's job sets (Streit 2003, section 4): Weibull times between submissions, and jobs drawn from the matrix of a
// log or, without a log, from a matrix with a log's published properties.
#pragma once

#include <cstdint>
#include <string>

#include "sim/errors.h"
#include "sim/host/instance.h"
#include "sim/workload/job_matrix.h"
#include "sim/workload/weibull.h"

namespace dfrs::sim {

/// What is known about a machine's jobs. Times in seconds.
struct JobSetModel {
  std::string name;
  int machine_width = 1;  ///< processors
  Weibull arrivals;
  JobMatrix matrix;
};

/// The model of a log: its machine, its matrix, its fitted arrivals. Errors: those of analyse_trace.
Result<JobSetModel> learn_model(const Instance& instance);

/// Properties of a job set, as in tables 2 and 3 of the paper.
struct JobSetProperties {
  std::string name;
  int machine_width = 1;
  int max_width = 1;
  double mean_width = 1;
  Seconds mean_estimate = 0;
  Seconds max_estimate = 0;
  Seconds mean_run_time = 0;
  double overrun_share = 0;  ///< of jobs that run longer than estimated
  Seconds mean_interarrival = 0;
  Weibull arrivals;
  /// Held node seconds / (machine x time of arrivals), without overruns. Tells what the means do not: how width and run
  /// time correlate. 0: independent.
  double utilization = 0;
};

/// A model with these means. Widths are powers of two (and the largest), estimates are round values as users give them,
/// run times are a share of the estimate or a minute more than it. Frequencies follow power laws, the simplest
/// assumption that meets the means. Deterministic. Errors: kExitUsage for contradictory properties.
Result<JobSetModel> model_of(const JobSetProperties& properties);

struct JobSetOptions {
  std::uint64_t seed = 1;
  int jobs = 10'000;   ///< 1 .. 10,000,000
  double shrink = 1;   ///< the shrinking factor: times between submissions are multiplied by it, > 0
  bool kill = true;    ///< jobs end at their estimates
  bool exact = false;  ///< estimates are the run times (of killed jobs, if `kill`)
  int max_width = 0;   ///< > 0: wider jobs are split into jobs of at most this width, of the same total area
};

/// A job set, named "NAME-syn-<seed>", with "-shrink-<factor>" unless that is 1. Submissions are in whole seconds. The
/// other options do not change the draws, so sets with the same seed differ only in those options. Errors: kExitUsage
/// for an option out of range; kExitInput if the set would last longer than a trace may.
Result<Instance> job_set(const JobSetModel& model, const JobSetOptions& options);

/// Ends jobs at their estimates: run time = min(run time, estimate). Returns the number of jobs cut.
std::size_t kill_at_estimates(Instance& instance);

}  // namespace dfrs::sim
