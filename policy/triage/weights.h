// SPDX-License-Identifier: GPL-2.0-or-later
// The weights of the max-min fair yields: which jobs get more CPU of a shared node.
#pragma once

#include <algorithm>
#include <cmath>

#include "policy/triage/options.h"
#include "policy/triage/urgency.h"

namespace dfrs::triage {

/// `base` to a power that is a multiple of 1/2. Unlike pow(), it rounds in the same way on every machine.
inline double power(double base, double exponent) {
  double result = 1;
  for (; exponent >= 1; exponent -= 1) result *= base;
  return exponent > 0 ? result * std::sqrt(base) : result;
}

/// The weight grows with the stretch so far (by default with its square) and falls with progress (with its square
/// root): of two equally delayed jobs, the one that has run less is more likely to end soon. The user's weight W
/// multiplies the stretch, so that in the long run the stretches of jobs on a node are inversely proportional to W.
inline double weight_at(double user, Seconds flow, Seconds progress, const TriageOptions& options) {
  progress = std::max(progress, short_job(options));
  const double stretch = user * std::max(1.0, flow / progress);
  return user * power(stretch, options.stretch_power) / power(progress / short_job(options), options.age_power);
}

/// How long a moved or resumed job still stands still, until its penalty is over. A penalty that results from this call
/// is not known yet.
inline Seconds still_ahead(const JobView& job, const Instant& at) {
  return job.state == JobState::running ? std::max(0.0, job.clock.since - at.now) : 0;
}

/// Whether the weight of a job depends on its stretch and progress.
inline bool weight_varies(const JobView& job, const Instant& at) { return at.any_kept || job.pauses == Pauses::kept; }

/// The weight of a job for the yields. If run times are known, the flow time is that at the job's end at full speed,
/// and the run time stands for the progress. Wide jobs get more by WIDTH. While no job in the system can be paused
/// without loss, jobs have only their users' weights: one that ran slowly would hold its memory longer, and nobody
/// could take it back. Beside jobs that can be paused they have weights like these: else a job that came back from a
/// pause would leave a short one hardly any CPU.
inline double yield_weight(const JobView& job, const Instant& at, const TriageOptions& options,
                           Seconds run_time = kUnknown) {
  if (!weight_varies(job, at)) return weight_of(job, at);
  const double width = power(std::sqrt(static_cast<double>(job.tasks)), 2 * options.width_power);
  if (run_time < 0)
    return width * weight_at(weight_of(job, at), job.flow_time(at.now), job.virtual_time(at.now), options);
  const Seconds flow = job.flow_time(at.now) + still_ahead(job, at) + time_left(job, at, run_time);
  return width * weight_at(weight_of(job, at), flow, run_time, options);
}

}  // namespace dfrs::triage
