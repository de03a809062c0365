// SPDX-License-Identifier: GPL-2.0-or-later
// Turns the yields of jobs on overloaded nodes into the yield changes that a policy returns.
#pragma once

#include <span>

#include "policy/core/policy.h"
#include "policy/yield/cpu_contention.h"

namespace dfrs {

/// Appends every running job whose yield or nodes have changed to outcome.yields. `yields` is by index into
/// contention.jobs(); jobs on no overloaded node run at full speed. O(running jobs + their tasks).
void append_yield_changes(const CpuContention& contention, std::span<const double> yields, const ClusterView& view,
                          const ClusterState& state, Outcome& outcome);

}  // namespace dfrs
