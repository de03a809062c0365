// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/changed_part.h"

#include <algorithm>

#include "policy/core/node_runs.h"
#include "policy/core/submission_order.h"

namespace dfrs {

void ChangedPart::find(const ClusterView& view, std::span<const Event> events, bool everything,
                       const ClusterState& state, CpuContention& contention) {
  if (everything || call_ == 0 || call_ == ~std::uint32_t{0}) {
    take_all(state);
    contention.build(state, view);
    return;
  }
  ++call_;
  changed_.resize(view.jobs.size(), 0);
  group_.begin(view.jobs.size(), state.node_count());
  take_changes(events, state);
  group_.grow(state, [&](NodeIndex n) { return std::span<const JobSlot>(jobs_on_[n]); });
  group_.sort(state);
  contention.build(state, view, group_.nodes(), group_.jobs());
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
  // A job that has left a node has changed it. Changed jobs that are still there are removed, too, and come back below.
  for (NodeIndex n : state.changed_nodes()) {
    std::erase_if(jobs_on_[n], [&](JobSlot job) { return changed_[job] == call_; });
  }
  for (JobSlot job : state.touched()) {
    if (!state.placed(job)) continue;
    each_node(state.nodes_of(job), [&](NodeIndex n) { insert_by_submission(jobs_on_[n], job, state); });
    group_.add(job);
  }
  for (NodeIndex n : state.changed_nodes()) {
    const bool before = overloaded_[n] != 0;
    const bool now = overloaded(state, n);
    overloaded_[n] = now ? 1 : 0;
    // A node that had and has enough CPU for all limits no job.
    if (!before && !now) continue;
    for (JobSlot job : jobs_on_[n]) group_.add(job);
  }
}

}  // namespace dfrs
