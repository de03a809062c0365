// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/pausing/shortest_first.h"

#include <algorithm>

namespace dfrs {

void ShortestFirstPolicy::decide(const ClusterView& view, const Estimates& estimates, std::span<const Event> /*events*/,
                                 ClusterState& state, Outcome& outcome) {
  ranked_.clear();
  for (const JobSlot job : state.active()) {
    const Seconds whole = estimates.run_time[job];
    const Seconds left = std::max(0.0, whole - view.jobs[job].virtual_time(view.now));
    ranked_.push_back({weighted_ ? left * whole : left, job});
  }
  std::stable_sort(ranked_.begin(), ranked_.end(), [](const Ranked& a, const Ranked& b) { return a.key < b.key; });
  order_.clear();
  for (const Ranked& ranked : ranked_) order_.push_back(ranked.job);
  seats_.assign(view, order_, state, outcome);
}

}  // namespace dfrs
