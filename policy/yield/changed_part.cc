// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/changed_part.h"

#include <algorithm>

#include "policy/core/each_node.h"

namespace dfrs {

void ChangedPart::find(const ClusterView& view, std::span<const Event> events, bool afresh, const ClusterState& state,
                       Sharing& sharing) {
  if (afresh || call_ == 0 || call_ == ~std::uint32_t{0}) {
    take_all(state);
    sharing.build(state, view);
    return;
  }
  ++call_;
  changed_.resize(view.jobs.size(), 0);
  tied_.begin(view.jobs.size(), state.node_count());
  take_changes(events, state);
  tied_.follow(state, [&](NodeIndex n) { return std::span<const JobSlot>(jobs_on_[n]); });
  tied_.sort(state);
  sharing.build(state, view, tied_.nodes(), tied_.jobs());
}

void ChangedPart::take_all(const ClusterState& state) {
  call_ = 1;
  changed_.clear();
  const auto count = static_cast<NodeIndex>(state.node_count());
  overloaded_.resize(count);
  jobs_on_.resize(count);
  for (NodeIndex n = 0; n < count; ++n) {
    overloaded_[n] = overloaded(state, n) ? 1 : 0;
    jobs_on_[n].clear();
  }
  for (JobSlot job : state.active()) {
    each_node(state.nodes_of(job), [&](NodeIndex n) { jobs_on_[n].push_back(job); });
  }
}

void ChangedPart::take_changes(std::span<const Event> events, const ClusterState& state) {
  for (const Event& event : events) {
    if (event.kind == EventKind::completed) changed_[event.job] = call_;
  }
  for (JobSlot job : state.touched()) changed_[job] = call_;
  // A job that left a node, for good or for another, changed it: those of the changed jobs that are still there, too,
  // are entered again below.
  for (NodeIndex n : state.changed_nodes()) {
    std::erase_if(jobs_on_[n], [&](JobSlot job) { return changed_[job] == call_; });
  }
  for (JobSlot job : state.touched()) {
    if (!state.placed(job)) continue;
    insert(job, state);
    tied_.reach(job);
  }
  for (NodeIndex n : state.changed_nodes()) {
    const bool before = overloaded_[n] != 0;
    const bool now = overloaded(state, n);
    overloaded_[n] = now ? 1 : 0;
    // Where there is and was enough for all nobody is limited.
    if (!before && !now) continue;
    for (JobSlot job : jobs_on_[n]) tied_.reach(job);
  }
}

void ChangedPart::insert(JobSlot job, const ClusterState& state) {
  each_node(state.nodes_of(job), [&](NodeIndex n) {
    std::vector<JobSlot>& there = jobs_on_[n];
    std::size_t at = there.size();
    while (at > 0 && state.order(there[at - 1]) > state.order(job)) --at;
    there.insert(there.begin() + static_cast<std::ptrdiff_t>(at), job);
  });
}

}  // namespace dfrs
