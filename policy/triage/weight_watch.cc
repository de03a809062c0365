// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/weight_watch.h"

#include <algorithm>
#include <cmath>

#include "policy/core/compare.h"
#include "policy/triage/options.h"
#include "policy/triage/weights.h"

namespace dfrs::triage {

namespace {
// (1 + 1 / (kTooLittle p))^p < exp(1 / kTooLittle) < 1.9 < kLookAgain.
constexpr double kTooLittle = 1.56;
}  // namespace

WeightWatch::WeightWatch(const JobView& job, const Instant& at, double yield, const TriageOptions& options,
                         Seconds run_time)
    : known_(false),
      ahead_(short_job(options)),
      now_(at.now),
      flow_(job.flow_time(at.now)),
      progress_(job.virtual_time(at.now)),
      still_(still_ahead(job, at)),
      user_(weight_of(job, at)),
      yield_(yield),
      run_time_(run_time) {
  // As long as flow and progress have grown by less than kTooLittle allows, given the powers they are raised to, the
  // weight cannot have changed by the factor kLookAgain. For an old job this rules out many steps at once.
  // If the run time is known, only the flow time at the end changes, and that is no less than the flow time.
  const Seconds least = run_time_ < 0 ? std::min(flow_, std::max(progress_, short_job(options))) : flow_;
  const double powers = kTooLittle * (options.stretch_power + options.age_power);
  while (ahead_ * powers <= least && ++steps_ < kFarthest) ahead_ *= 2;
  if (steps_ == kFarthest) {
    known_ = true;
  } else {
    at_least_ = coarse_time(options);
  }
}

Seconds WeightWatch::coarse_time(const TriageOptions& options) const {
  const Seconds coarse = kCoarse * options.time_scale;
  const Seconds time = now_ + ahead_;
  return ahead_ < coarse ? time : std::ceil(time / coarse) * coarse;
}

// The weight that much later, at the same yield.
double WeightWatch::weight_after(Seconds ahead, const TriageOptions& options) const {
  const Seconds progress = progress_ + yield_ * std::max(0.0, ahead - still_);
  if (run_time_ < 0) return weight_at(user_, flow_ + ahead, progress, options);
  const Seconds to_come = std::max(0.0, still_ - ahead) + std::max(0.0, run_time_ - progress);
  return weight_at(user_, flow_ + ahead + to_come, run_time_, options);
}

void WeightWatch::step(const TriageOptions& options) {
  const double weight = weight_after(0, options);
  const double then = weight_after(ahead_, options);
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
