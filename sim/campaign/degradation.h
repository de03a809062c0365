// SPDX-License-Identifier: GPL-2.0-or-later
// How far an algorithm is from the best of those compared (IPDPS 2010, section V).
#pragma once

#include <span>
#include <vector>

#include "sim/campaign/results.h"

namespace dfrs::sim {

/// By row: its maximum stretch over the lowest one of any row of the same instance; 1 is the best. What is compared
/// with changes the figures: unlike the degradation from bound they belong to a set of algorithms. O(rows).
std::vector<double> degradation_from_best(std::span<const ResultRow> rows);

}  // namespace dfrs::sim
