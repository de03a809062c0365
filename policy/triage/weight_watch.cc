// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/weight_watch.h"

#include <algorithm>
#include <cmath>

#include "policy/compare.h"
#include "policy/triage/weights.h"

namespace dfrs::triage {

WeightWatch::WeightWatch(const JobView& job, const Moment& at, double yield, const TriageOptions& options)
    : known_(false),
      ahead_(short_job(options)),
      now_(at.now),
      flow_(job.flow_time(at.now)),
      progress_(job.virtual_time(at.now)),
      // A job that is being moved or resumed stands still until its penalty is over; what this call gives it is not known.
      still_(job.state == JobState::running ? std::max(0.0, job.clock.since - at.now) : 0),
      user_(weight_of(job, at)),
      yield_(yield) {
  at_least_ = coarse_time(options);
}

Seconds WeightWatch::coarse_time(const TriageOptions& options) const {
  const Seconds coarse = kCoarse * options.time_scale;
  const Seconds time = now_ + ahead_;
  return ahead_ < coarse ? time : std::ceil(time / coarse) * coarse;
}

void WeightWatch::step(const TriageOptions& options) {
  const double weight = weight_at(user_, flow_, progress_, options);
  const double then =
      weight_at(user_, flow_ + ahead_, progress_ + yield_ * std::max(0.0, ahead_ - still_), options);
  const double changed = std::max(then, weight);
  const double enough = kLookAgain * std::min(then, weight);
  if (changed >= enough || same_quality(changed, enough)) {
    known_ = true;
  } else if (++steps_ == kFarthest) {
    known_ = true;
    at_least_ = kNever;
  } else {
    ahead_ *= 2;
    at_least_ = coarse_time(options);
  }
}

}  // namespace dfrs::triage
