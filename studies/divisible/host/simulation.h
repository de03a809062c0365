// SPDX-License-Identifier: GPL-2.0-or-later
// Runs an instance of divisible load under a scheduling rule: the host of studies/divisible/rules/.
#pragma once

#include <vector>

#include "sim/errors.h"
#include "studies/divisible/host/instance.h"
#include "studies/divisible/rules/algorithm.h"

namespace dfrs::sim::divisible {

/// A job is complete when at most this fraction of its size is left: the rounding error of many small steps.
inline constexpr double kDoneTolerance = 1e-10;

/// A job running on a cluster at one rate.
struct Segment {
  Seconds begin = 0, end = 0;
  dfrs::divisible::JobIndex job = 0;
  dfrs::divisible::ClusterIndex cluster = 0;
  double rate = 0;  ///< work per second
};

struct RunOptions {
  StretchBasis basis = StretchBasis::platform;
  bool segments = false;  ///< keep the whole schedule
  dfrs::divisible::Readings readings = {};
};

struct RunResult {
  std::vector<Seconds> completions;  ///< by job
  std::vector<Segment> segments;     ///< by begin; empty unless asked for
};

/// Runs all jobs to completion. Checks every decision: databanks, powers of clusters, absent jobs, a wake-up that is
/// not in the future. Errors: kExitInput (see check()); kExitInternal for a decision that breaks a rule or never serves
/// some jobs, which is a bug in a scheduling rule.
Result<RunResult> simulate(const Instance& instance, dfrs::divisible::Algorithm algorithm, const RunOptions& options);

struct Metrics {
  double max_stretch = 0;
  double sum_stretch = 0;
  double mean_flow = 0;    ///< s
  Seconds makespan = 0;    ///< last completion - first release, s
  double utilization = 0;  ///< work / (power of all clusters x makespan)
};

/// All zero without jobs.
Metrics measure(const Instance& instance, const RunResult& run, StretchBasis basis);

}  // namespace dfrs::sim::divisible
