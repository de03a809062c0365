// SPDX-License-Identifier: GPL-2.0-or-later
// Which gangs start on idle machines: AFCFS and LJFS (section III.B).
//
// AFCFS starts gangs whose tasks are all at the front of their queues; if there is none, one further down. Gangs at the
// front have no machine in common, and one that shares a machine with an earlier gang is not at the front; so this
// amounts to the first gang in the order of dispatch whose machines are all idle, again and again.
#pragma once

#include <span>
#include <vector>

#include "studies/gang/rules/options.h"
#include "studies/gang/rules/waiting_gang.h"

namespace dfrs::gang {

/// Indices into `waiting` (in the order of dispatch) of those that start, in the order they are chosen; their machines
/// leave `idle`. LJFS takes the largest first, of equal ones the first. O(waiting log waiting).
void gangs_to_start(Scheduler scheduler, std::span<const WaitingGang> waiting, MachineSet& idle,
                    std::vector<std::size_t>& chosen);

}  // namespace dfrs::gang
