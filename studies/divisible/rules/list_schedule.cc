// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/divisible/rules/list_schedule.h"

namespace dfrs::divisible {

void list_schedule(const View& view, std::span<const JobIndex> order, Decision& decision) {
  const Platform& platform = *view.platform;
  std::vector<char> taken(platform.clusters().size(), 0);
  std::size_t free = taken.size();
  for (const Share& share : decision.shares) {
    if (taken[share.cluster] == 0) --free;
    taken[share.cluster] = 1;
  }
  for (const JobIndex j : order) {
    if (free == 0) return;
    const JobView& job = view.jobs[j];
    if (!(job.remaining > 0)) continue;
    for (const ClusterIndex c : platform.hosts(job.databank)) {
      if (taken[c] != 0) continue;
      taken[c] = 1;
      --free;
      decision.shares.push_back({j, c, platform.clusters()[c].power()});
    }
  }
}

}  // namespace dfrs::divisible
