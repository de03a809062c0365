// SPDX-License-Identifier: GPL-2.0-or-later
// The bound of Linear System (1) as printed, with each job's own speed limit (1d).
#pragma once

#include <span>

#include "sim/bound/bound_job.h"

namespace dfrs::sim {

/// The smallest S >= `start` for which Linear System (1) has a solution. `jobs` by release date, `cpu` > 0; `start` is
/// a known lower bound, at least 1. Every set of jobs with too little time (a violated cut of the flow) gives a better
/// lower bound; when no such set is left, the bound is the optimum.
double ls1_bound(std::span<const BoundJob> jobs, double cpu, double start);

}  // namespace dfrs::sim
