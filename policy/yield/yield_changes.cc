// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/yield_changes.h"

namespace dfrs {

void append_yield_changes(const CpuContention& contention, std::span<const double> yields, const ClusterView& view,
                          const ClusterState& state, Outcome& outcome) {
  std::size_t limited = 0;  // jobs() is a subsequence of running()
  for (JobSlot job : contention.running()) {
    double yield = 1;
    if (limited < contention.jobs().size() && contention.jobs()[limited].slot == job) yield = yields[limited++];
    const JobView& spec = view.jobs[job];
    const bool stayed = spec.state == JobState::running && state.on_nodes_before(job);
    if (!stayed || yield != spec.yield) outcome.yields->push_back({job, yield});
  }
}

}  // namespace dfrs
