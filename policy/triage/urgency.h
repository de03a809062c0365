// SPDX-License-Identifier: GPL-2.0-or-later
// How urgent a waiting job is, and what a pause costs a running one. Both are estimates of a stretch.
//
// Processing times are unknown, so progress stands in for them: a job that has run for v seconds is expected to run for
// about as long again, and its stretch to be of the order of flow / v. Jobs that have not run yet count as short
// (kShort): that mistake costs a long job little, while the opposite mistake would cost a short job a lot.
#pragma once

#include <algorithm>

#include "policy/triage/options.h"

namespace dfrs::triage {

/// No job counts as shorter than this: the bound of the bounded stretch (RR-7659, section 2.2).
inline constexpr Seconds kShort = 10;
inline Seconds short_job(const TriageOptions& options) { return kShort * options.time_scale; }

/// What urgencies, costs and weights are relative to.
struct Instant {
  Seconds now = 0;
  /// The largest weight of any job in the system. Weights are divided by it, so that equal weights are exactly 1.
  double heaviest = 1;
};

inline double weight_of(const JobView& job, const Instant& at) { return job.weight / at.heaviest; }

/// Urgency of a job that does not run: the stretch it would have if it ended now, or after one more penalty if it is
/// paused, times its weight.
inline double urgency(const JobView& job, const Instant& at, const TriageOptions& options) {
  const Seconds progress = std::max(job.virtual_time(at.now), short_job(options));
  const Seconds ahead =
      job.state == JobState::waiting ? options.patience * options.time_scale : expected_penalty(job, options);
  return weight_of(job, at) * (job.flow_time(at.now) + ahead) / progress;
}

/// Pause cost of a running job: the stretch that a pause would lead to, times its weight. A job that is serving a
/// penalty loses only the part already served, since the rest is still ahead of it in any case.
inline double pause_cost(const JobView& job, const Instant& at, const TriageOptions& options) {
  const Seconds progress = std::max(job.virtual_time(at.now), short_job(options));
  Seconds lost = expected_penalty(job, options);
  if (job.state == JobState::running) lost = std::max(0.0, lost - std::max(0.0, job.clock.since - at.now));
  return weight_of(job, at) * (job.flow_time(at.now) + lost + options.hold * options.time_scale) / progress;
}

/// The factor by which a job's urgency must exceed the pause cost of a victim.
inline double margin(const JobView& job, const TriageOptions& options) {
  return job.state == JobState::waiting ? options.margin_new : options.margin_paused;
}

}  // namespace dfrs::triage
