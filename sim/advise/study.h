// SPDX-License-Identifier: GPL-2.0-or-later
// Simulates a cluster's own jobs under today's policy and under each candidate, and computes how well they are served
// and at what cost.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "sim/campaign/parallel.h"
#include "sim/errors.h"
#include "sim/host/simulation.h"

namespace dfrs::sim {

/// Jobs by their run time at full speed: users expect a short job soon, and accept hours of delay for a long one.
struct JobClass {
  std::string_view name;
  Seconds below;  ///< run times from this on belong to the next class
};
inline constexpr std::array<JobClass, 4> kJobClasses{
    {{"up to 10 min", 600}, {"10 min to 1 h", 3600}, {"1 h to 8 h", 28800}, {"over 8 h", kNever}}};
std::size_t job_class(Seconds run_time);

/// Waits are kept at this many shares of the jobs, and at 0.
inline constexpr std::size_t kWaitQuantiles = 100;

/// Over the jobs of a class, or over all.
struct Service {
  std::size_t jobs = 0;
  double mean_stretch = 1;
  double p95_stretch = 1;  ///< nearest rank
  double p99_stretch = 1;
  double max_stretch = 1;
  double mean_wait = 0;  ///< until the first start, s
  double p95_wait = 0;
  std::vector<double>
      wait_quantiles;     ///< [k]: what k hundredths of the jobs do not exceed (nearest rank); empty: no jobs
  double mean_delay = 0;  ///< turnaround minus run time, s: the cost of waiting, sharing, pausing and moving
};

/// One policy on all samples.
struct StudyRun {
  std::string algorithm;  ///< canonical name
  PauseWorld pauses;
  bool pauses_or_moves = false;  ///< whether it did
  Service all;
  std::array<Service, kJobClasses.size()> by_class;
  Service interactive;     ///< of StudyOptions::interactive
  double utilization = 0;  ///< work of jobs over capacity, first submission to last completion
  double pauses_per_job = 0;
  double moves_per_job = 0;
  double most_pauses = 0;      ///< of one job
  double gb_per_s = 0;         ///< memory of paused and moved jobs, on average; GB of 1024 MiB
  double peak_gb_per_s = 0;    ///< in the worst hour, or over all of a sample that is shorter
  double most_paused_mib = 0;  ///< memory of the paused jobs of a node at a time, unless their work is lost
  double lost_share = 0;       ///< discarded work relative to the work of all jobs
  double jobs_losing = 0;      ///< share of jobs that lost a run
};

/// Rules of the live side hold: a job with another rigid resource than memory (GPUs) is not moved, as Slurm places it,
/// and keeps what it has while it is suspended; one that is requeued pays for the restart (Trial::restart), and its run
/// has made LostWorkRules::min_progress before; an interactive one is never requeued.
struct StudyOptions {
  Seconds penalty = 300;
  double swap_rate = 0;  ///< MiB/s; above 0: SimOptions::swap_rate, in place of the penalty
  Seconds restart = 0;   ///< SimOptions::restart
  Seconds period = 600;
  Seconds stretch_floor = 10;
  LostWorkRules lost_work;
  std::unordered_set<JobId> interactive;  ///< jobs with a user at them
  unsigned threads = 0;                   ///< 0: one per processor
  Progress progress;
};

/// A policy to try on its samples. `samples` may differ between trials: a batch scheduler assumes that a job uses all
/// allocated CPUs.
struct Trial {
  std::string algorithm;
  PauseWorld pauses;
  const std::vector<Instance>* samples = nullptr;
  std::optional<Seconds> restart = {};  ///< jobs are requeued: what that costs, in place of the options' penalty
  record::SwapSize swap = {};           ///< of each node, where jobs are suspended
};

/// One sample under one policy, as the study simulates it. Errors: those of simulate.
RunOutcome simulate_sample(const Instance& sample, const Algorithm& algorithm, const Trial& trial,
                           const StudyOptions& options, const Watch& watch);

/// Runs all trials, in order. Samples are independent of each other, and their jobs are counted together. Errors: those
/// of simulate; kExitUsage for an unknown algorithm.
Result<std::vector<StudyRun>> run_study(const std::vector<Trial>& trials, const StudyOptions& options);

}  // namespace dfrs::sim
