// SPDX-License-Identifier: GPL-2.0-or-later
// MCB8 word by word (RR-7659, sections 4.3 and 4.7; simulation semantics, rules 11 and 12): both lists are scanned from
// their beginning for every single task.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "policy/mcb8/repack.h"
#include "tests/oracle/world.h"

namespace dfrs::oracle {

struct PackJob {
  JobSlot job = kNoSlot;
  double cpu = 0;                 ///< requirement of a task
  std::vector<NodeIndex> pinned;  ///< placed beforehand, if not empty
};

/// Nodes by index into `jobs`, each ascending, or nothing if the heuristic finds no packing.
std::optional<std::vector<std::vector<NodeIndex>>> pack(const World& world, const std::vector<PackJob>& jobs);

/// The MCB8 step of a tick or submission: changes the placements. Returns the yield reached, 0 if nothing changed.
double mcb8(World& world, const RemapLimit& limit, Ties ties = Ties::oldest);
/// MCB8-stretch. Returns the inverse stretch reached, negative if nothing changed.
double mcb8_stretch(World& world, const RemapLimit& limit, Seconds period, Ties ties = Ties::oldest,
                    double accuracy = 0.01);

}  // namespace dfrs::oracle
