// SPDX-License-Identifier: GPL-2.0-or-later
// How far apart figures of two draws of a workload lie by chance: a paper's mean, standard deviation or maximum over
// instances that a model drew may differ from ours only because the paper drew other ones.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "sim/metrics/bootstrap.h"

namespace dfrs::sim {

struct AnotherDraw {
  Interval mean;       ///< where its mean lies in 95 of 100 cases
  Interval deviation;  ///< the same of its standard deviation
  Interval maximum;    ///< the same of its maximum
};

/// What a second draw of as many values would give, as far as ours show. `traces` of them do not depend on each other,
/// each with the same number of values (by_trace.h); 0: no value depends on another.
///
/// The tail is a Pareto distribution fitted to the largest tenth of the traces by their maximum, at least ten and at
/// most a hundred (Hill 1975); a drawn trace of the tail is one of ours scaled to its drawn maximum. For all others,
/// the sums of values and of squares are as good as normal. 10,000 simulated draws give the intervals. Each first draws
/// what ours leave open: the tail's exponent, how many traces it has, and the means of the sums (a fiducial
/// distribution, which for a Pareto tail is exact). The maximum's interval reaches down to our sixth largest at least:
/// that six or more of one draw exceed all of another has a probability of at most 2^-6, whatever the tail. Nothing
/// unless eleven traces or more have a positive maximum and values differ. Values must be finite. The same values
/// always give the same intervals. O(values + 10,000 x tail).
std::optional<AnotherDraw> another_draw(std::span<const double> values, std::size_t traces);

}  // namespace dfrs::sim
