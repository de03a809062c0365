// SPDX-License-Identifier: GPL-2.0-or-later
// When the weight of a job that shares its CPU is to be looked at again: when time and progress have doubled or halved
// it.
//
// That is found step by step, and no further than is asked for: on a large cluster yields are set again for thousands
// of jobs at each decision, of which one is looked at next.
#pragma once

#include "policy/triage/options.h"
#include "policy/triage/urgency.h"

namespace dfrs::triage {

/// A weight is looked at again when it has changed by this factor, up or down.
inline constexpr double kLookAgain = 2;
/// Instants are now + short_job x 2^k, k = 0, 1, .., from kCoarse on the next multiple of it, so that on a busy cluster
/// many are looked at together. None beyond k = kFarthest: 2^40 short jobs are a third of a million years.
inline constexpr Seconds kCoarse = 300;
inline constexpr int kFarthest = 40;

class WeightWatch {
 public:
  WeightWatch() = default;  ///< never
  /// From at.now on, at this yield.
  WeightWatch(const JobView& job, const Instant& at, double yield, const TriageOptions& options);

  /// The instant, if it is known(); else it is not before this one.
  Seconds at_least() const { return at_least_; }
  bool known() const { return known_; }
  /// Finds out more; not if it is known. O(1), after kFarthest steps it is.
  void step(const TriageOptions& options);

 private:
  Seconds coarse_time(const TriageOptions& options) const;

  Seconds at_least_ = kNever;
  bool known_ = true;
  int steps_ = 0;
  Seconds ahead_ = 0;  // short_job x 2^steps
  // As of the beginning.
  Seconds now_ = 0;
  Seconds flow_ = 0;
  Seconds progress_ = 0;
  Seconds still_ = 0;
  double user_ = 1;
  double yield_ = 1;
};

}  // namespace dfrs::triage
