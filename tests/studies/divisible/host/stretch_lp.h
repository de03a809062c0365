// SPDX-License-Identifier: GPL-2.0-or-later
// Systems (1) and (2) of RR-5724 by GLPK: slow, but exactly as in the paper.
#pragma once

#include <vector>

#include "studies/divisible/host/instance.h"
#include "studies/divisible/rules/deadlines.h"

namespace dfrs::sim::divisible {

/// The milestones in ascending order, System (1) between each two of them until one has a solution.
double optimum_by_milestones(const Instance& instance, StretchBasis basis);

/// The least value of System (2)'s objective for tasks that are all released at one instant; midpoints of intervals
/// count from there.
double least_mean_instants(const dfrs::divisible::Platform& platform, const std::vector<dfrs::divisible::Task>& tasks,
                           const std::vector<double>& sizes, double objective);

}  // namespace dfrs::sim::divisible
