// SPDX-License-Identifier: GPL-2.0-or-later
// The algorithms that an option names.
#pragma once

#include <string>
#include <vector>

#include "policy/core/algorithm.h"

namespace dfrs::sim {

/// Algorithms by name. Each name may be a list separated by commas, or a set: "all" (RR-7659's 119), "table2" or the
/// name of a family (policy/core/registry.h). Errors: UsageError naming the nearest valid name.
std::vector<Algorithm> parse_algorithms(const std::vector<std::string>& names);

/// The default algorithms to compare: FCFS, EASY, the best of RR-7659's table 2, and Triage.
std::vector<std::string> recommended_algorithms();

}  // namespace dfrs::sim
