// SPDX-License-Identifier: GPL-2.0-or-later
// From the yields of jobs on overloaded nodes to the changes that a policy names.
#pragma once

#include <span>

#include "policy/core/policy.h"
#include "policy/yield/cpu_contention.h"

namespace dfrs {

/// Appends to outcome.yields every running job whose yield is new, or whose nodes are. `yields` by index into
/// contention.jobs(); a job on no overloaded node runs at full speed. O(running + their tasks).
void append_yield_changes(const CpuContention& contention, std::span<const double> yields, const ClusterView& view,
                          const ClusterState& state, Outcome& outcome);

}  // namespace dfrs
