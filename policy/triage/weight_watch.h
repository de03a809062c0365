// SPDX-License-Identifier: GPL-2.0-or-later
// Computes when the weight of a job that shares its CPU needs another look: when time and progress have doubled or
// halved it.
//
// The instant is found step by step, and no further than needed: on a large cluster each decision sets the yields of
// thousands of jobs, only one of which is the first to need a look.
#pragma once

#include "policy/triage/options.h"
#include "policy/triage/urgency.h"

namespace dfrs::triage {

/// A weight needs another look when it has changed by this factor, up or down.
inline constexpr double kLookAgain = 2;
/// Candidate instants are now + short_job x 2^k for k = 0, 1, ..; from kCoarse seconds ahead they are rounded up to a
/// multiple of kCoarse, so that many jobs share them on a busy cluster. k stops before kFarthest, which stands for
/// never: 2^40 short jobs last a third of a million years.
inline constexpr Seconds kCoarse = 300;
inline constexpr int kFarthest = 40;

class WeightWatch {
 public:
  /// No look is ever needed.
  WeightWatch() = default;
  /// Watches the job from at.now on, at this yield.
  WeightWatch(const JobView& job, const Instant& at, double yield, const TriageOptions& options,
              Seconds run_time = kUnknown);

  /// The instant if it is known(), otherwise a lower bound on it.
  Seconds at_least() const { return at_least_; }
  bool known() const { return known_; }
  /// Raises the bound or finds the instant, which must not be known yet. After at most kFarthest steps it is. O(1).
  void step(const TriageOptions& options);

 private:
  Seconds coarse_time(const TriageOptions& options) const;
  double weight_after(Seconds ahead, const TriageOptions& options) const;

  Seconds at_least_ = kNever;
  bool known_ = true;
  int steps_ = 0;
  Seconds ahead_ = 0;  // short_job x 2^steps
  // Values at the beginning.
  Seconds now_ = 0;
  Seconds flow_ = 0;
  Seconds progress_ = 0;
  Seconds still_ = 0;
  double user_ = 1;
  double yield_ = 1;
  Seconds run_time_ = kUnknown;
};

}  // namespace dfrs::triage
