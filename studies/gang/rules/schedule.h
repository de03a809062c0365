// SPDX-License-Identifier: GPL-2.0-or-later
// Chooses the gangs that start on idle machines: AFCFS and LJFS (section III.B).
//
// AFCFS starts gangs whose tasks are all at the front of their queues; if there is none, one further down. Gangs at the
// front share no machine, and a gang that shares a machine with an earlier one is not at the front. So this amounts to
// repeatedly starting the first gang in dispatch order whose machines are all idle.
#pragma once

#include <span>
#include <vector>

#include "studies/gang/rules/options.h"
#include "studies/gang/rules/waiting_gang.h"

namespace dfrs::gang {

/// Sets `chosen` to the indices into `waiting` (in order of dispatch) of the gangs that start, in the order of choice,
/// and removes their machines from `idle`. LJFS takes the largest first; ties go to the first. O(waiting log waiting).
void gangs_to_start(Scheduler scheduler, std::span<const WaitingGang> waiting, MachineSet& idle,
                    std::vector<std::size_t>& chosen);

}  // namespace dfrs::gang
