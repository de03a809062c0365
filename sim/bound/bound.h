// SPDX-License-Identifier: GPL-2.0-or-later
// Lower bounds on the maximum stretch of any schedule of an instance (RR-7659, section 3.1). They ignore memory and the
// cost of moving tasks, so no algorithm can do better. The papers report results relative to such a bound.
#pragma once

#include <string_view>

#include "policy/core/units.h"
#include "sim/errors.h"
#include "sim/host/instance.h"

namespace dfrs::sim {

enum class BoundKind {
  divisible,  ///< Linear System (1) without (1d): one job may use the whole platform; fits the published results
  ls1,        ///< Linear System (1) as printed: a job progresses at most at full speed, cpu_need x tasks
};

/// "divisible" or "ls1".
std::string_view bound_kind_name(BoundKind kind);

struct BoundOptions {
  /// The b of stretch = max(turnaround, b) / max(run_time, b), in seconds, finite, >= 0: 10 in RR-7659, 30 in IPDPS
  /// 2010.
  Seconds stretch_floor = 10;
};

struct StretchBounds {
  double divisible = 1;
  double ls1 = 1;
};

/// The smallest S >= 1 for which every job j can do its work between its release r_j and r_j + S max(p_j, b).
/// The optimum of the relaxation up to rounding: never above it by more than 1e-9 relative, nor below it by more if
/// instants, counted from the instance's first release, stay below 1e8 s. 1 for an instance without work.
///
/// `divisible`: a few runs of EDF, O(n log n) each, over the periods in which the machine would be busy. `ls1`: a few
/// maximum flows of jobs x instants over the congested parts only.
///
/// Errors: kExitUsage if the floor is out of range; kExitInput if a job's times, need or tasks are out of the range
/// stated in sim/host/instance.h, or if there is work but no CPU.
Result<double> stretch_lower_bound(const Instance& instance, BoundKind kind, const BoundOptions& options = {});

/// Both at once, cheaper than one after the other; ls1 >= divisible >= 1. Complexity and errors as above.
Result<StretchBounds> stretch_lower_bounds(const Instance& instance, const BoundOptions& options = {});

}  // namespace dfrs::sim
