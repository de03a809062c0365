// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/gang/rules/dispatch.h"

#include <limits>

namespace dfrs::gang {

MachineSet shortest_queues(const MachineSet& among, std::span<const std::uint32_t> length, std::uint32_t count) {
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  MachineSet chosen;
  for (std::uint32_t level = 0; count > 0 && level != kNone;) {
    std::uint32_t next = kNone;
    among.for_each([&](MachineIndex m) {
      if (length[m] == level && count > 0) {
        chosen.insert(m);
        --count;
      } else if (length[m] > level && length[m] < next) {
        next = length[m];
      }
    });
    level = next;
  }
  return chosen;
}

}  // namespace dfrs::gang
