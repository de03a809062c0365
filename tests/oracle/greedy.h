// SPDX-License-Identifier: GPL-2.0-or-later
// Greedy, GreedyP and GreedyPM word by word (RR-7659, section 4.2; simulation semantics, rules 8 to 10).
#pragma once

#include <optional>
#include <vector>

#include "tests/oracle/world.h"

namespace dfrs::oracle {

/// Nodes for the job's tasks, ascending, or nothing if they do not all fit. Task by task: of the nodes with room the
/// one that is least loaded with the task on it, the first of equals.
std::optional<std::vector<NodeIndex>> greedy_nodes(const World& world, JobSlot job);
/// Places the job so. False if it does not fit.
bool greedy_place(World& world, JobSlot job);
/// GreedyP, or GreedyPM with `move`. `place_first`: the job gets its nodes as if all marked jobs were gone, and then
/// those stay that still fit.
bool greedy_admit(World& world, JobSlot job, bool move, bool place_first = false);
/// "*": waiting and paused jobs by decreasing priority, those that do not fit are skipped.
void greedy_fill(World& world, const std::vector<JobSlot>& candidates);

}  // namespace dfrs::oracle
