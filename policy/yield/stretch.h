// SPDX-License-Identifier: GPL-2.0-or-later
// Yields of /stretch-per: OPT=MAX iteratively minimises the largest estimated stretch, OPT=AVG the average one
// (RR-7659, section 4.7). The estimate is (flow + T) / (vt + yield T), T the time to the next tick.
#pragma once

#include <span>
#include <vector>

#include "policy/yield/cpu_contention.h"
#include "policy/yield/lp_solver.h"

namespace dfrs {

/// What the estimate needs of one job: the stretch at the next tick is flow / (progress + yield * period).
struct StretchEstimate {
  double flow = 0;      ///< flow time at the next tick, > 0
  double progress = 0;  ///< virtual time now
  double period = 0;    ///< time to the next tick, > 0

  double at(double yield) const { return flow / (progress + yield * period); }
};

/// The lowest estimate that all jobs can have: yields at the largest common inverse stretch s for which no node lacks
/// CPU, each kept between `floor` and 1: jobs beyond that are served as well as can be and do not hold the others back.
/// Where not even the floors fit, all have the same yield. O(12 x users) or so, see StretchLevel.
void common_stretch(const CpuContention& contention, std::span<const StretchEstimate> jobs, double floor,
                    std::span<double> yields);

/// OPT=MAX. Yields by index into contention.jobs(), each at least `floor`. Water filling on the inverse stretch s: all
/// jobs' s rises together until a node is full or a job runs at yield 1, those jobs are fixed, the rest goes on.
/// O(12 x sum over nodes of users x (1 + users fixed elsewhere first)), see StretchLevel.
void min_max_stretch(const CpuContention& contention, std::span<const StretchEstimate> jobs, double floor,
                     std::span<double> yields);

/// OPT=AVG: minimal sum of the estimates, a convex program solved by cutting planes until the bound is within 1e-6 of
/// the value, or 60 programs were solved. Every yield is at least that of the largest s which all jobs can have.
/// False if the solver gave up.
bool min_average_stretch(const CpuContention& contention, std::span<const StretchEstimate> jobs, double floor,
                         LpSolver& solver, std::span<double> yields);

}  // namespace dfrs
