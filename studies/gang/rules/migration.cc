// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/gang/rules/migration.h"

#include "studies/gang/rules/dispatch.h"

namespace dfrs::gang {

std::optional<std::size_t> gang_to_migrate(Migration fit, std::span<const WaitingGang> waiting, std::uint32_t idle) {
  std::optional<std::size_t> best;
  if (fit == Migration::none) return best;
  for (std::size_t k = 0; k < waiting.size(); ++k) {
    if (waiting[k].tasks > idle) continue;
    if (fit == Migration::first_fit) return k;
    if (!best || waiting[k].tasks > waiting[*best].tasks) best = k;
  }
  return best;
}

MachineSet migration_target(const MachineSet& machines, const MachineSet& idle, std::span<const std::uint32_t> length) {
  const MachineSet stay = machines & idle;
  return stay | shortest_queues(idle - stay, length, machines.size() - stay.size());
}

}  // namespace dfrs::gang
