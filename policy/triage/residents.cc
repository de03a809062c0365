// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/residents.h"

#include <algorithm>

#include "policy/core/submission_order.h"

namespace dfrs::triage {

void Residents::begin(const ClusterView& view, std::span<const Event> events, const ClusterState& state) {
  placed_now_.clear();
  const bool resync = has_event(events, EventKind::resync);
  if (!known_ || resync) {
    known_ = true;
    on_.resize(state.node_count());
    changes_.resize(state.node_count());
    for (std::uint64_t& changes : changes_) ++changes;
    for (std::vector<JobSlot>& there : on_) there.clear();
    for (JobSlot job : state.active()) {  // in submission order
      each_node(state.nodes_of(job), [&](NodeIndex n) { on_[n].push_back(job); });
    }
    return;
  }
  ended_.resize(view.jobs.size(), 0);
  bool any = false;
  for (const Event& event : events) {
    if (event.kind != EventKind::completed) continue;
    ended_[event.job] = 1;
    any = true;
  }
  if (!any) return;
  for (NodeIndex n : state.changed_nodes()) {
    if (std::erase_if(on_[n], [&](JobSlot job) { return ended_[job] != 0; }) > 0) ++changes_[n];
  }
  for (const Event& event : events) {
    if (event.kind == EventKind::completed) ended_[event.job] = 0;
  }
}

void Residents::placed(const ClusterState& state, JobSlot job) {
  placed_now_.push_back(job);
  each_node(state.nodes_of(job), [&](NodeIndex n) {
    insert_by_submission(on_[n], job, state);
    ++changes_[n];
  });
}

void Residents::removed(const ClusterState& state, JobSlot job) {
  each_node(state.nodes_of(job), [&](NodeIndex n) {
    std::erase(on_[n], job);
    ++changes_[n];
  });
}

}  // namespace dfrs::triage
