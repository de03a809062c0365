// SPDX-License-Identifier: GPL-2.0-or-later
// Who gets more CPU of a shared node: weights of the max-min fair yields.
#pragma once

#include <algorithm>
#include <cmath>

#include "policy/compare.h"
#include "policy/triage/urgency.h"

namespace dfrs::triage {

/// base to a multiple of 1/2, by operations that are rounded the same on every host, which pow is not.
inline double power(double base, double exponent) {
  double result = 1;
  for (; exponent >= 1; exponent -= 1) result *= base;
  return exponent > 0 ? result * std::sqrt(base) : result;
}

/// Grows with the square of the stretch so far, and falls with the root of the progress (powers 2 and 0.5 by default): of
/// two equally delayed jobs the one that has run less is the one more likely to end soon. A user's weight W counts in the
/// stretch, so that in the long run jobs on a node come to stretches in inverse proportion to W.
inline double weight_at(double user, Seconds flow, Seconds progress, const TriageOptions& options) {
  progress = std::max(progress, short_job(options));
  const double stretch = user * std::max(1.0, flow / progress);
  return user * power(stretch, options.stretch_power) / power(progress / short_job(options), options.age_power);
}

inline double yield_weight(const JobView& job, const Moment& at, const TriageOptions& options) {
  return weight_at(weight_of(job, at), job.flow_time(at.now), job.virtual_time(at.now), options);
}

/// A weight is looked at again when time and progress have changed it by this factor, up or down.
inline constexpr double kLookAgain = 2;

/// When that is the case, at this yield: the first of now + short_job x 2^k, k = 0, 1, .. From kCoarse on at the next
/// multiple of it, so that on a busy cluster many are looked at together. O(log time).
inline constexpr Seconds kCoarse = 300;
inline constexpr int kFarthest = 40;  ///< 2^40 short jobs are a third of a million years
inline Seconds look_again(const JobView& job, const Moment& at, double yield, const TriageOptions& options) {
  const double user = weight_of(job, at);
  const Seconds flow = job.flow_time(at.now);
  const Seconds progress = job.virtual_time(at.now);
  // A job that is being moved or resumed stands still until its penalty is over; what this call gives it is not known.
  const Seconds still = job.state == JobState::running ? std::max(0.0, job.clock.since - at.now) : 0;
  const double weight = weight_at(user, flow, progress, options);
  const Seconds coarse = kCoarse * options.time_scale;
  Seconds ahead = short_job(options);
  for (int k = 0; k < kFarthest; ++k, ahead *= 2) {
    const double then = weight_at(user, flow + ahead, progress + yield * std::max(0.0, ahead - still), options);
    const double changed = std::max(then, weight);
    const double enough = kLookAgain * std::min(then, weight);
    if (changed < enough && !same_quality(changed, enough)) continue;
    const Seconds time = at.now + ahead;
    return ahead < coarse ? time : std::ceil(time / coarse) * coarse;
  }
  return kNever;
}

}  // namespace dfrs::triage
