// SPDX-License-Identifier: GPL-2.0-or-later
// The bound without a job's own speed limit: one machine of speed |P|, on which EDF is optimal.
#pragma once

#include <span>

#include "sim/bound/bound_job.h"

namespace dfrs::sim {

/// The smallest S >= 1 for which EDF on one machine of speed `cpu` > 0 meets every deadline. `jobs` by release date.
/// A few steps of O(n log n) each per busy period.
double divisible_bound(std::span<const BoundJob> jobs, double cpu);

}  // namespace dfrs::sim
