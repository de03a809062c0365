// SPDX-License-Identifier: GPL-2.0-or-later
// Feasibility of a stretch as one plain maximum flow by LEMON, without any reduction.
#pragma once

#include "sim/bound/bound.h"
#include "sim/host/instance.h"

namespace dfrs::sim {

/// True if all jobs' work fits before their deadlines for `stretch`, up to a part of 1e-12 of the smallest job's work:
/// Linear System (1), without (1d) for BoundKind::divisible. For some hundred jobs.
bool meets_deadlines(const Instance& instance, BoundKind kind, const BoundOptions& options, double stretch);

}  // namespace dfrs::sim
