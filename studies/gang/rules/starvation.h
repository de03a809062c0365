// SPDX-License-Identifier: GPL-2.0-or-later
// When a waiting gang is starved (section III.D).
#pragma once

#include "policy/core/units.h"

namespace dfrs::gang {

/// X-factor (equation 2): (time waited so far + execution time) / execution time. Requires execution > 0.
constexpr double expansion_factor(Seconds waited, Seconds execution) { return (waited + execution) / execution; }

/// The time at which a waiting gang becomes starved: when its X-factor reaches the threshold. kNever for an infinite
/// threshold; otherwise the arrival if execution is 0.
constexpr Seconds starvation_instant(Seconds arrival, Seconds execution, double threshold) {
  return threshold == kNever ? kNever : arrival + (threshold - 1) * execution;
}

}  // namespace dfrs::gang
