// SPDX-License-Identifier: GPL-2.0-or-later
// Who gets more CPU of a shared node: weights of the max-min fair yields.
#pragma once

#include <algorithm>
#include <cmath>

#include "policy/triage/options.h"
#include "policy/triage/urgency.h"

namespace dfrs::triage {

/// base to a multiple of 1/2, by operations that are rounded the same on every host, which pow is not.
inline double power(double base, double exponent) {
  double result = 1;
  for (; exponent >= 1; exponent -= 1) result *= base;
  return exponent > 0 ? result * std::sqrt(base) : result;
}

/// Grows with the square of the stretch so far, and falls with the root of the progress (powers 2 and 0.5 by default):
/// of two equally delayed jobs the one that has run less is the one more likely to end soon. A user's weight W counts
/// in the stretch, so that in the long run jobs on a node come to stretches in inverse proportion to W.
inline double weight_at(double user, Seconds flow, Seconds progress, const TriageOptions& options) {
  progress = std::max(progress, short_job(options));
  const double stretch = user * std::max(1.0, flow / progress);
  return user * power(stretch, options.stretch_power) / power(progress / short_job(options), options.age_power);
}

inline double yield_weight(const JobView& job, const Instant& at, const TriageOptions& options) {
  return weight_at(weight_of(job, at), job.flow_time(at.now), job.virtual_time(at.now), options);
}

}  // namespace dfrs::triage
