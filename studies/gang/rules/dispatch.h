// SPDX-License-Identifier: GPL-2.0-or-later
// Chooses the queues for the tasks of an arriving gang: Shortest Queue First (section III.A).
#pragma once

#include <span>

#include "studies/gang/rules/machine_set.h"

namespace dfrs::gang {

/// The `count` machines of `among` with the shortest queues; ties go to the lowest index. `length`: by machine.
/// Requires count <= among.size(). O(machines x distinct lengths up to the longest chosen).
MachineSet shortest_queues(const MachineSet& among, std::span<const std::uint32_t> length, std::uint32_t count);

}  // namespace dfrs::gang
