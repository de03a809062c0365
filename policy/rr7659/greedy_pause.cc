// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/rr7659/greedy_pause.h"

#include <algorithm>

namespace dfrs {

void GreedyPause::RoomCount::reset(const ClusterState& state, const JobView& job) {
  for (NodeIndex n : with_room_) room_[n] = 0;
  with_room_.clear();
  room_.resize(state.node_count());
  total_ = 0;
  const auto orders = state.nodes_by_load();
  if (orders.empty()) {
    for (NodeIndex n = 0; n < room_.size(); ++n) count(state, job, n);
    return;
  }
  // The job does not fit, so few nodes have room: fewer than it has tasks, and those that it is not eligible for.
  for (const NodesByLoad::Order& order : orders) {
    for (auto spot = order.first_with({}, job.rigid, state.rigid_dims()); !order.ended(spot);
         spot = order.first_with(order.next(spot), job.rigid, state.rigid_dims())) {
      count(state, job, order[spot].node);
    }
  }
}

void GreedyPause::RoomCount::count(const ClusterState& state, const JobView& job, NodeIndex n) {
  const std::uint32_t room = state.room_for(job, n);
  if (room != 0 && room_[n] == 0) with_room_.push_back(n);
  total_ -= room_[n];
  total_ += room_[n] = room;
}

void GreedyPause::RoomCount::update(const ClusterState& state, const JobView& job, std::span<const NodeIndex> nodes) {
  for (NodeIndex n : nodes) count(state, job, n);
}

void GreedyPause::explain_victims(const ClusterState& state, JobSlot job) const {
  if (!state.explains()) return;
  Reason started{ReasonKind::made_room, job};
  for (const RankedJob& victim : marked_) {
    if (state.placed(victim.job)) continue;
    state.explain({ReasonKind::gave_way, victim.job, job, victim.priority, kNever});
    started.other = victim.job;
    ++started.limit;
  }
  state.explain(started);
}

// By decreasing priority, puts back the marked jobs beside whom the new one still fits; all if it does not fit anyway.
void GreedyPause::unmark(ClusterState& state, const ClusterView& view, const JobView& incoming, bool fits) {
  for (std::size_t k = marked_.size(); k-- > 0;) {
    const JobSlot victim = marked_[k].job;
    state.place(victim, view.jobs[victim], old_nodes_[k]);
    if (!fits) continue;
    room_.update(state, incoming, old_nodes_[k]);
    if (room_.enough(incoming)) continue;
    state.remove(victim, view.jobs[victim]);
    room_.update(state, incoming, old_nodes_[k]);
  }
}

// By decreasing priority, puts back the marked jobs that still fit on their nodes. They do on nodes that take no new
// jobs, since nothing has come there.
void GreedyPause::put_back(ClusterState& state, const ClusterView& view) {
  for (std::size_t k = marked_.size(); k-- > 0;) {
    const std::vector<NodeIndex>& old = old_nodes_[k];
    JobView victim = view.jobs[marked_[k].job];
    victim.eligible = nullptr;  // it was there already
    bool room = true;
    for (auto first = old.begin(); first != old.end() && room;) {
      const auto last = std::upper_bound(first, old.end(), *first);
      room = !state.usable(*first) || state.room_for(victim, *first) >= static_cast<std::size_t>(last - first);
      first = last;
    }
    if (room) state.place(marked_[k].job, victim, old);
  }
}

bool GreedyPause::admit(ClusterState& state, const ClusterView& view, JobSlot job, const PriorityRule& rule,
                        Victims victims) {
  if (greedy_.place(state, view, job)) return true;

  const JobView& incoming = view.jobs[job];
  running_.clear();
  for (JobSlot other : state.active()) {
    if (state.placed(other) && !view.jobs[other].flags.may_not_pause) {
      running_.push_back(rank(other, view, state, rule));
    }
  }
  // A heap, because few of them will be marked.
  std::make_heap(running_.begin(), running_.end(), RankedJob::higher);

  room_.reset(state, incoming);
  marked_.clear();
  while (!room_.enough(incoming) && !running_.empty()) {
    std::pop_heap(running_.begin(), running_.end(), RankedJob::higher);
    const std::size_t marked = marked_.size();
    const JobSlot victim = marked_.emplace_back(running_.back()).job;
    running_.pop_back();
    if (old_nodes_.size() <= marked) old_nodes_.emplace_back();
    const std::span<const NodeIndex> old = state.nodes_of(victim);
    old_nodes_[marked].assign(old.begin(), old.end());
    state.remove(victim, view.jobs[victim]);
    room_.update(state, incoming, old_nodes_[marked]);
  }
  const bool fits = room_.enough(incoming);
  if (!fits || !places_first_) unmark(state, view, incoming, fits);
  if (!fits || !greedy_.place(state, view, job)) {
    state.explain({ReasonKind::none_to_pause, job});
    return false;
  }
  if (places_first_) put_back(state, view);
  explain_victims(state, job);

  if (victims == Victims::move) {
    for (std::size_t k = marked_.size(); k-- > 0;) {
      const RankedJob& victim = marked_[k];
      if (state.placed(victim.job)) continue;
      const bool moved = greedy_.place(state, view, victim.job);
      state.explain({moved ? ReasonKind::moved_away : ReasonKind::gave_way, victim.job, job, victim.priority, kNever});
    }
  }
  return true;
}

}  // namespace dfrs
