// SPDX-License-Identifier: GPL-2.0-or-later
// Which job waits worst, and which can best be displaced: both are estimates of a stretch.
//
// A job's processing time is not known. Progress stands for it: a job that has run for v seconds is expected to run for
// about as long again, so the stretch it is heading for is of the order of flow / v. Jobs that have not run yet count
// as short (kShort), because a long job loses little by that mistake and a short one much by the opposite.
#pragma once

#include <algorithm>

#include "policy/triage/options.h"

namespace dfrs::triage {

/// Nothing is taken for shorter than this: the bound of the bounded stretch (RR-7659, section 2.2).
inline constexpr Seconds kShort = 10;
inline Seconds short_job(const TriageOptions& options) { return kShort * options.time_scale; }

/// The instant that urgencies, costs and weights are taken at.
struct Instant {
  Seconds now = 0;
  /// The largest weight that any job in the system has: weights count beside it, so that a common one is 1 exactly.
  double heaviest = 1;
};

inline double weight_of(const JobView& job, const Instant& at) { return job.weight / at.heaviest; }

/// Of a job that does not run: the stretch it has if it ended now or, paused, after one more penalty; times its weight.
inline double urgency(const JobView& job, const Instant& at, const TriageOptions& options) {
  const Seconds progress = std::max(job.virtual_time(at.now), short_job(options));
  const Seconds ahead =
      job.state == JobState::waiting ? options.patience * options.time_scale : expected_penalty(job, options);
  return weight_of(job, at) * (job.flow_time(at.now) + ahead) / progress;
}

/// Of a running job: the stretch it would come to by a pause. One that serves a penalty loses what it has served of it;
/// the rest is before it anyway.
inline double pause_cost(const JobView& job, const Instant& at, const TriageOptions& options) {
  const Seconds progress = std::max(job.virtual_time(at.now), short_job(options));
  Seconds lost = expected_penalty(job, options);
  if (job.state == JobState::running) lost = std::max(0.0, lost - std::max(0.0, job.clock.since - at.now));
  return weight_of(job, at) * (job.flow_time(at.now) + lost + options.hold * options.time_scale) / progress;
}

/// The margin by which the urgency of a job must exceed the pause cost of a victim.
inline double margin(const JobView& job, const TriageOptions& options) {
  return job.state == JobState::waiting ? options.margin_new : options.margin_paused;
}

}  // namespace dfrs::triage
