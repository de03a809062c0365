// SPDX-License-Identifier: GPL-2.0-or-later
// Who gets more CPU of a shared node: weights of the max-min fair yields.
#pragma once

#include <algorithm>
#include <cmath>

#include "policy/triage/urgency.h"

namespace dfrs::triage {

/// base to a multiple of 1/2, by operations that are rounded the same on every host, which pow is not.
inline double power(double base, double exponent) {
  double result = 1;
  for (; exponent >= 1; exponent -= 1) result *= base;
  return exponent > 0 ? result * std::sqrt(base) : result;
}

/// Grows with the square of the stretch so far, and falls with the root of the progress (powers 2 and 0.5 by default): of two equally delayed jobs the
/// one that has run less is the one more likely to end soon. A user's weight W counts in the stretch, so that in the long
/// run jobs on a node come to stretches in inverse proportion to W.
inline double yield_weight(const JobView& job, Seconds now, const TriageOptions& options) {
  const Seconds progress = std::max(job.virtual_time(now), short_job(options));
  const double stretch = job.weight * std::max(1.0, job.flow_time(now) / progress);
  return job.weight * power(stretch, options.stretch_power) / power(progress / short_job(options), options.age_power);
}

/// Weights are looked at again when the progress or the flow time of a job crosses short_job x kLevel^k: until then
/// none changes by more than a factor of kLevel^2.
inline constexpr double kLevel = 2;

/// Levels from here on wait for the next multiple of it, so that on a busy cluster many are looked at together.
inline constexpr Seconds kCoarse = 300;

/// When to look at a weight that crosses a level at a time.
inline Seconds look_at(Seconds time, Seconds level, const TriageOptions& options) {
  const Seconds coarse = kCoarse * options.time_scale;
  return level < coarse ? time : std::ceil(time / coarse) * coarse;
}

/// The next such level above a progress or a flow time.
inline Seconds next_level(Seconds time, const TriageOptions& options) {
  Seconds level = short_job(options);
  while (level <= time) level *= kLevel;
  return level;
}

}  // namespace dfrs::triage
