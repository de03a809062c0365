// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/gang/rules/schedule.h"

#include <algorithm>

namespace dfrs::gang {

void gangs_to_start(Scheduler scheduler, std::span<const WaitingGang> waiting, MachineSet& idle,
                    std::vector<std::size_t>& chosen) {
  chosen.clear();
  if (idle.empty()) return;
  // A start only takes machines away, so a gang that cannot start now cannot start later in this cycle.
  for (std::size_t k = 0; k < waiting.size(); ++k) {
    if (!waiting[k].machines.within(idle)) continue;
    chosen.push_back(k);
    if (scheduler == Scheduler::afcfs) idle -= waiting[k].machines;
  }
  if (scheduler == Scheduler::afcfs) return;
  std::stable_sort(chosen.begin(), chosen.end(),
                   [&](std::size_t a, std::size_t b) { return waiting[a].tasks > waiting[b].tasks; });
  std::size_t kept = 0;
  for (std::size_t k : chosen) {
    if (!waiting[k].machines.within(idle)) continue;
    idle -= waiting[k].machines;
    chosen[kept++] = k;
  }
  chosen.resize(kept);
}

}  // namespace dfrs::gang
