// SPDX-License-Identifier: GPL-2.0-or-later
// The distance of an algorithm from the best of those compared (IPDPS 2010, section V).
#pragma once

#include <span>
#include <vector>

#include "sim/campaign/results.h"

namespace dfrs::sim {

/// For each row, its maximum stretch divided by the lowest of any row of the same instance; 1 is the best. Unlike the
/// degradation from bound, the values depend on the set of algorithms. O(rows).
std::vector<double> degradation_from_best(std::span<const ResultRow> rows);

}  // namespace dfrs::sim
