// SPDX-License-Identifier: GPL-2.0-or-later
// How far apart figures of two draws of a workload lie by chance: a paper's standard deviation or maximum over
// instances that a model drew may differ from ours only because the paper drew other ones.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "sim/metrics/bootstrap.h"

namespace dfrs::sim {

/// Where the standard deviation of another draw of as many values lies in 95 of 100 cases, as far as ours show. Its
/// logarithm has the variance (kurtosis - 1) / 4n in each of the two draws; if values of the same trace belong together
/// (by_trace.h), n is the number of traces, and each has the mean of its squared differences. Nothing for fewer than
/// two traces or if all values are equal. With few values or heavy tails the kurtosis of a sample is too small, and the
/// interval too short. Values must be finite. O(n).
std::optional<Interval> deviation_of_another_draw(std::span<const double> values, std::size_t traces);
inline std::optional<Interval> deviation_of_another_draw(std::span<const double> values) {
  return deviation_of_another_draw(values, values.size());
}

/// The same of the maximum of independent values, such as each trace's maximum. Down to the sixth largest value: that
/// six or more values of one draw exceed all of another has a probability of at most 2^-6. Up to what the tail makes
/// likely, a Pareto distribution fitted to the largest tenth of the values (Hill 1975), at least ten; its own error is
/// left out, so that the interval is short rather than long. Nothing unless eleven values or more are positive.
/// O(n log n).
std::optional<Interval> maximum_of_another_draw(std::span<const double> values);

}  // namespace dfrs::sim
