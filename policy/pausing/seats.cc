// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/pausing/seats.h"

#include <algorithm>

#include "policy/batch/whole_nodes.h"

namespace dfrs {
namespace {

bool may_pause(const JobView& job) { return !job.flags.may_not_pause && job.pauses != Pauses::none; }

bool was_there(const JobView& job, NodeIndex n) { return std::binary_search(job.nodes.begin(), job.nodes.end(), n); }

}  // namespace

void Seats::assign(const ClusterView& view, std::span<const JobSlot> order, ClusterState& state, Outcome& outcome) {
  holders_.clear();
  std::uint64_t open = 0;  // nodes that are free, or would be if all holders left
  for (NodeIndex n = 0; n < static_cast<NodeIndex>(state.node_count()); ++n) open += idle(state, n) ? 1 : 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const JobSlot job = order[rank];
    if (!state.placed(job) || !may_pause(view.jobs[job])) continue;
    holders_.push_back({rank, job});
    open += state.nodes_of(job).size();
  }
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const JobSlot job = order[rank];
    const JobView& spec = view.jobs[job];
    if (state.placed(job)) {
      if (may_pause(spec)) open -= state.nodes_of(job).size();
      continue;
    }
    if (spec.tasks > open || !make_room(view, state, rank, job)) {
      state.explain({ReasonKind::no_room, job});
      continue;
    }
    state.place(job, spec, nodes_);
    open -= nodes_.size();
  }
  for (const JobSlot job : order) {  // a measured need may have changed
    if (!state.placed(job)) continue;
    const double yield = yield_alone(state, state.nodes_of(job));
    if (yield != view.jobs[job].yield || !state.stays(job, view.jobs[job])) outcome.yields->push_back({job, yield});
  }
}

bool Seats::suits(const ClusterState& state, const JobView& job, NodeIndex n) const {
  if (job.flags.may_not_move && !job.nodes.empty() && !was_there(job, n)) return false;
  return tasks_on(state, job, n, false) != 0;
}

// Finds nodes for the job and pauses those who hold them. False: there are too few, and nothing has changed.
bool Seats::make_room(const ClusterView& view, ClusterState& state, std::size_t rank, JobSlot job) {
  const JobView& spec = view.jobs[job];
  std::uint64_t room = 0;
  for (NodeIndex n = 0; n < static_cast<NodeIndex>(state.node_count()); ++n) {
    room += idle(state, n) && suits(state, spec, n) ? 1 : 0;
  }
  std::vector<Holder*> leaving;
  for (std::size_t k = holders_.size(); k-- > 0 && room < spec.tasks && holders_[k].rank > rank;) {
    Holder& holder = holders_[k];
    if (!state.placed(holder.job)) continue;
    holder.gain = 0;
    for (const NodeIndex n : state.nodes_of(holder.job)) {
      holder.gain += state.task_count(n) == 1 && suits(state, spec, n) ? 1U : 0U;
    }
    if (holder.gain == 0) continue;
    room += holder.gain;
    leaving.push_back(&holder);
  }
  if (room < spec.tasks) return false;
  // Spare those that are not needed, the first of the order first.
  for (auto holder = leaving.rbegin(); holder != leaving.rend(); ++holder) {
    (*holder)->leaves = room - (*holder)->gain < spec.tasks;
    if (!(*holder)->leaves) room -= (*holder)->gain;
  }
  for (Holder* const holder : leaving) {
    if (!holder->leaves) continue;
    state.explain({ReasonKind::gave_way, holder->job, job, static_cast<double>(holder->rank), kNever});
    state.remove(holder->job, view.jobs[holder->job]);
  }
  nodes_.clear();
  for (NodeIndex n = 0; nodes_.size() < spec.tasks; ++n) {
    if (idle(state, n) && suits(state, spec, n)) nodes_.push_back(n);
  }
  state.explain({ReasonKind::room, job});
  return true;
}

}  // namespace dfrs
