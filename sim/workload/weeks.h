// SPDX-License-Identifier: GPL-2.0-or-later
// Splits a long log into the week-long scenarios of RR-7659, section 5.3.1.
#pragma once

#include <string>
#include <vector>

#include "sim/errors.h"
#include "sim/host/instance.h"

namespace dfrs::sim {

inline constexpr Seconds kWeek = 604800;

/// One instance per week with at least one submission, in order. A job belongs to week floor(submit / period) from the
/// log's origin; every week starts with an empty machine and has times relative to its own start. Week w is named
/// "<prefix>-week-<w>" with at least three digits, from 000. Linear.
/// Errors: kExitUsage if period is not > 0.
Result<std::vector<Instance>> split_weeks(const Instance& whole, const std::string& prefix, Seconds period = kWeek);

}  // namespace dfrs::sim
