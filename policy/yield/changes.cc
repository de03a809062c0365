// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/changes.h"

#include <algorithm>

namespace dfrs {

void name_yields(const Sharing& sharing, std::span<const double> yields, const ClusterView& view,
                 const ClusterState& state, Outcome& outcome) {
  std::size_t limited = 0;  // jobs() is a subsequence of running()
  for (JobSlot job : sharing.running()) {
    double yield = 1;
    if (limited < sharing.jobs().size() && sharing.jobs()[limited].slot == job) yield = yields[limited++];
    const JobView& spec = view.jobs[job];
    const std::span<const NodeIndex> before = state.nodes_before(job);
    const std::span<const NodeIndex> now = state.nodes_of(job);
    const bool stayed =
        spec.state == JobState::running && std::equal(before.begin(), before.end(), now.begin(), now.end());
    if (!stayed || yield != spec.yield) outcome.yields->push_back({job, yield});
  }
}

}  // namespace dfrs
