// SPDX-License-Identifier: GPL-2.0-or-later
// A lower bound that memory gives: wide jobs whose tasks need much of a node cannot run beside each other at full
// speed.
#pragma once

#include "sim/bound/bound.h"
#include "sim/host/instance.h"

namespace dfrs::sim {

/// A stretch that no schedule of the instance beats, >= 1; 1 where the argument says nothing.
///
/// Nodes are equal, N of them. A gang's tasks need all CPU of a node and more than a third of its memory, so a node has
/// at most two of these, and a gang with two tasks on one node runs at a yield of 1/2 at most. Then:
/// - The yields of gangs with more than N/2 tasks sum to at most 3/2. At most three have room at a time. One with a
///   yield y above 1/2 has more than N/2 nodes, with one task on each. Of two others one must share a node with it and
///   has at most 1 - y. The other does so, too, or has two tasks on a node, since all of its tasks are on the rest.
/// - The yields of gangs with more than 2N/3 tasks sum to at most 1. At most two have room. If one has a yield above
///   1/2, the other does not fit on the rest and shares a node with it.
/// So they are jobs of rate 1 on a machine of speed 3/2 or 1 (ls1.h).
///
/// Errors: see stretch_lower_bound.
Result<double> gang_bound(const Instance& instance, const BoundOptions& options = {});

}  // namespace dfrs::sim
