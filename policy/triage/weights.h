// SPDX-License-Identifier: GPL-2.0-or-later
// Who gets more CPU of a shared node: weights of the max-min fair yields.
#pragma once

#include <algorithm>
#include <cmath>

#include "policy/triage/urgency.h"

namespace dfrs::triage {

/// A job's weight grows with the square of its stretch so far, and falls with the root of its progress: of two equally
/// delayed jobs the one that has run less is the one more likely to end soon.
inline double yield_weight(const JobView& job, Seconds now, const TriageOptions& options) {
  const Seconds progress = std::max(job.virtual_time(now), short_job(options));
  const double stretch = std::max(1.0, job.flow_time(now) / progress);
  return job.weight * stretch * stretch / std::sqrt(progress / short_job(options));
}

/// Weights are looked at again when a job's progress crosses kShort x kLevel^k.
inline constexpr double kLevel = 1.5;

/// The next such level above a progress.
inline Seconds next_level(Seconds progress, const TriageOptions& options) {
  Seconds level = short_job(options);
  while (level <= progress) level *= kLevel;
  return level;
}

}  // namespace dfrs::triage
