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
    if (!state.stays(job, spec) || yield != spec.yield) outcome.yields->push_back({job, yield});
  }
}

}  // namespace dfrs
