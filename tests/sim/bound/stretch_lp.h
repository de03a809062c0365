// SPDX-License-Identifier: GPL-2.0-or-later
// Linear System (1) of RR-7659, section 3.1, by GLPK: slow, but exactly as in the paper.
#pragma once

#include "sim/bound/bound.h"
#include "sim/host/instance.h"

namespace dfrs::sim {

/// The smallest stretch >= 1, to 1e-9 relative, for which the system has a solution, by bisection; without (1d) for
/// BoundKind::divisible. For a handful of jobs.
double solve_stretch_lp(const Instance& instance, BoundKind kind, const BoundOptions& options);

}  // namespace dfrs::sim
