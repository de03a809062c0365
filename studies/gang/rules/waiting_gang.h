// SPDX-License-Identifier: GPL-2.0-or-later
// A gang whose tasks wait in the queues of machines.
#pragma once

#include "policy/core/units.h"
#include "studies/gang/rules/machine_set.h"

namespace dfrs::gang {

/// All tasks of a gang enter the queues at one instant, so every queue is in order of dispatch, and lists of gangs in
/// that order represent the queues. (Migrated tasks go to the heads of queues and start in the next cycle; they are not
/// in these lists.)
struct WaitingGang {
  JobSlot job = kNoSlot;
  std::uint32_t tasks = 0;
  Seconds starves_at = kNever;  ///< see starvation_instant()
  MachineSet machines;          ///< a machine per task
};

}  // namespace dfrs::gang
