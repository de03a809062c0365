// SPDX-License-Identifier: GPL-2.0-or-later
// Yields for a mapping by the shortest way to say them (RR-7659, sections 4.6 and 4.7; simulation semantics, rule 13).
#pragma once

#include <vector>

#include "tests/oracle/world.h"

namespace dfrs::oracle {

/// Max-min fair yields by slot (0 where the job is not placed): all jobs rise together; when a node is full its jobs
/// stop, the others go on.
std::vector<double> max_min_yields(const World& world);

/// The highest yield that all placed jobs can have together: 1 / max(1, largest load).
double common_yield(const World& world);

/// The largest sum of yields with none below common_yield(): linear program (2), all nodes and jobs written out, by
/// GLPK.
double best_yield_sum(const World& world);

/// OPT=MAX of section 4.7: the estimates (flow + T) / (vt + y T) come down together, T = `rest`; when a node is full
/// its jobs stop, the others go on. No yield below 0.01, or below common_yield() where that is less.
std::vector<double> max_stretch_yields(const World& world, Seconds rest);
/// OPT=AVG of section 4.7: the least sum of the estimates of all placed jobs. No job has a smaller yield than with the
/// lowest estimate that all on overloaded nodes can have together. By cutting planes, tangents of the convex estimates,
/// and GLPK, until the sum is known to a millionth.
double least_stretch_sum(const World& world, Seconds rest);
/// Sum of the estimates of all placed jobs.
double stretch_sum(const World& world, const std::vector<double>& yields, Seconds rest);

/// True if no node's CPU is exceeded by more than `tolerance` of it and all placed jobs' yields are in (0, 1].
bool yields_fit(const World& world, const std::vector<double>& yields, double tolerance);

}  // namespace dfrs::oracle
