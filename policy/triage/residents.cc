// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/residents.h"

#include <algorithm>

namespace dfrs::triage {

void Residents::begin(const ClusterView& view, std::span<const Event> events, const ClusterState& state) {
  placed_now_.clear();
  const bool resync =
      std::any_of(events.begin(), events.end(), [](const Event& e) { return e.kind == EventKind::resync; });
  if (!known_ || resync) {
    known_ = true;
    on_.resize(state.node_count());
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
    std::erase_if(on_[n], [&](JobSlot job) { return ended_[job] != 0; });
  }
  for (const Event& event : events) {
    if (event.kind == EventKind::completed) ended_[event.job] = 0;
  }
}

void Residents::placed(const ClusterState& state, JobSlot job) {
  placed_now_.push_back(job);
  each_node(state.nodes_of(job), [&](NodeIndex n) {
    std::vector<JobSlot>& there = on_[n];
    std::size_t at = there.size();
    while (at > 0 && state.order(there[at - 1]) > state.order(job)) --at;
    there.insert(there.begin() + static_cast<std::ptrdiff_t>(at), job);
  });
}

void Residents::removed(const ClusterState& state, JobSlot job) {
  each_node(state.nodes_of(job), [&](NodeIndex n) { std::erase(on_[n], job); });
}

}  // namespace dfrs::triage
