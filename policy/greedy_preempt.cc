// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/greedy_preempt.h"

#include <algorithm>

namespace dfrs {

void GreedyPreempt::RoomCount::reset(const ClusterState& state, const JobView& job) {
  room_.resize(state.node_count());
  total_ = 0;
  for (NodeIndex n = 0; n < room_.size(); ++n) total_ += room_[n] = state.room_for(job, n);
}

void GreedyPreempt::RoomCount::update(const ClusterState& state, const JobView& job, std::span<const NodeIndex> nodes) {
  for (NodeIndex n : nodes) {
    total_ -= room_[n];
    total_ += room_[n] = state.room_for(job, n);
  }
}

bool GreedyPreempt::admit(ClusterState& state, const ClusterView& view, JobSlot job, const PriorityRule& rule,
                          Victims victims) {
  if (greedy_.place(state, view, job)) return true;

  const JobView& incoming = view.jobs[job];
  running_.clear();
  for (JobSlot other : state.active()) {
    if (state.placed(other) && !view.jobs[other].flags.may_not_pause) {
      running_.push_back(rank(other, view, state, rule));
    }
  }
  std::sort(running_.begin(), running_.end(),
            [](const RankedJob& a, const RankedJob& b) { return RankedJob::higher(b, a); });

  room_.reset(state, incoming);
  std::size_t marked = 0;
  while (!room_.enough(incoming) && marked < running_.size()) {
    const JobSlot victim = running_[marked].job;
    if (old_nodes_.size() <= marked) old_nodes_.emplace_back();
    const std::span<const NodeIndex> old = state.nodes_of(victim);
    old_nodes_[marked].assign(old.begin(), old.end());
    state.remove(victim, view.jobs[victim]);
    room_.update(state, incoming, old_nodes_[marked]);
    ++marked;
  }
  const bool fits = room_.enough(incoming);
  // By decreasing priority, keep those that the new job does not need gone (all of them if it cannot be helped).
  for (std::size_t k = marked; k-- > 0;) {
    const JobSlot victim = running_[k].job;
    state.place(victim, view.jobs[victim], old_nodes_[k]);
    if (!fits) continue;
    room_.update(state, incoming, old_nodes_[k]);
    if (room_.enough(incoming)) continue;
    state.remove(victim, view.jobs[victim]);
    room_.update(state, incoming, old_nodes_[k]);
  }
  if (!fits || !greedy_.place(state, view, job)) return false;

  if (victims == Victims::move) {
    for (std::size_t k = marked; k-- > 0;) {
      const JobSlot victim = running_[k].job;
      if (state.placed(victim)) continue;
      greedy_.place(state, view, victim);
    }
  }
  return true;
}

}  // namespace dfrs
