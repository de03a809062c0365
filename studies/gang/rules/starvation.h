// SPDX-License-Identifier: GPL-2.0-or-later
// When a waiting gang is starved (section III.D).
#pragma once

#include "policy/core/units.h"

namespace dfrs::gang {

/// X-factor (equation 2): (time waited so far + execution time) / execution time. Requires execution > 0.
constexpr double expansion_factor(Seconds waited, Seconds execution) { return (waited + execution) / execution; }

/// From when on a gang that has not started is starved: the X-factor reaches the threshold then. kNever with an
/// infinite threshold; the arrival with execution 0 otherwise.
constexpr Seconds starvation_instant(Seconds arrival, Seconds execution, double threshold) {
  return threshold == kNever ? kNever : arrival + (threshold - 1) * execution;
}

}  // namespace dfrs::gang
