// SPDX-License-Identifier: GPL-2.0-or-later
// Values of instances that are not independent: one trace scaled to several loads gives several instances. What another
// draw would give depends on the number of traces, not of instances.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dfrs::sim {

/// The mean of each trace's values. `values` has the traces in the same order for each load, one load after the other,
/// so its size is a multiple of `traces` > 0. Their mean is that of all values. O(values).
std::vector<double> means_by_trace(std::span<const double> values, std::size_t traces);
/// The same of the maximum.
std::vector<double> maxima_by_trace(std::span<const double> values, std::size_t traces);

}  // namespace dfrs::sim
