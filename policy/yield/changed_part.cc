// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/changed_part.h"

#include <algorithm>
#include <bit>

#include "policy/compare.h"

namespace dfrs {
namespace {

// Calls `visit` once for each node of a job, whose tasks on one node are neighbours.
template <typename Visit>
void each_node(std::span<const NodeIndex> nodes, Visit&& visit) {
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (k == 0 || nodes[k] != nodes[k - 1]) visit(nodes[k]);
  }
}

bool overloaded(const ClusterState& state, NodeIndex n) {
  return cpu_exceeds(state.cpu_load(n), state.cpu_capacity(n));
}

}  // namespace

void ChangedPart::find(const ClusterView& view, std::span<const Event> events, bool afresh, const ClusterState& state,
                       Sharing& sharing) {
  if (afresh || call_ == 0 || call_ == ~std::uint32_t{0}) {
    take_all(state);
    sharing.build(state, view);
    return;
  }
  ++call_;
  changed_.resize(view.jobs.size(), 0);
  reached_.resize(view.jobs.size(), 0);
  jobs_.clear();
  nodes_.clear();
  take_changes(events, state);
  collect(state);
  sharing.build(state, view, nodes_, jobs_);
}

void ChangedPart::take_all(const ClusterState& state) {
  call_ = 1;
  changed_.clear();
  reached_.clear();
  const auto count = static_cast<NodeIndex>(state.node_count());
  node_reached_.assign(count, 0);
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
    reach(job);
  }
  for (NodeIndex n : state.changed_nodes()) {
    const bool before = overloaded_[n] != 0;
    const bool now = overloaded(state, n);
    overloaded_[n] = now ? 1 : 0;
    // Where there is and was enough for all nobody is limited.
    if (!before && !now) continue;
    for (JobSlot job : jobs_on_[n]) reach(job);
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

void ChangedPart::reach(JobSlot job) {
  if (reached_[job] == call_) return;
  reached_[job] = call_;
  jobs_.push_back(job);
}

void ChangedPart::collect(const ClusterState& state) {
  for (std::size_t k = 0; k < jobs_.size(); ++k) {  // grows as it goes
    each_node(state.nodes_of(jobs_[k]), [&](NodeIndex n) {
      if (overloaded_[n] == 0 || node_reached_[n] == call_) return;
      node_reached_[n] = call_;
      nodes_.push_back(n);
      for (JobSlot job : jobs_on_[n]) reach(job);
    });
  }
  std::sort(nodes_.begin(), nodes_.end());
  // A large part is picked out of the list that has the order already.
  if (jobs_.size() * std::bit_width(jobs_.size()) > state.active().size()) {
    jobs_.clear();
    for (JobSlot job : state.active()) {
      if (reached_[job] == call_) jobs_.push_back(job);
    }
  } else {
    std::sort(jobs_.begin(), jobs_.end(), [&](JobSlot a, JobSlot b) { return state.order(a) < state.order(b); });
  }
}

}  // namespace dfrs
