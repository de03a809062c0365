// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/reservation.h"

#include <algorithm>

namespace dfrs::triage {
namespace {

bool has_home(const JobView& job) { return job.flags.may_not_move && !job.nodes.empty(); }

}  // namespace

// Takes what is free now.
void Reservation::start(const ClusterState& state) {
  dims_ = state.rigid_dims();
  later_.resize(state.node_count());
  for (NodeIndex n = 0; n < state.node_count(); ++n) later_[n] = state.rigid_free(n);
}

void Reservation::make(const ClusterView& view, const ClusterState& state, std::span<const Seconds> limit,
                       JobSlot slot) {
  const JobView& job = view.jobs[slot];
  if (job.flags.exclusive || has_home(job)) return;
  start(state);
  const auto count = static_cast<NodeIndex>(state.node_count());
  released_.assign(count, 0);
  holders_.clear();
  for (const JobSlot other : state.active()) {
    if (!state.placed(other)) continue;
    const JobView& holder = view.jobs[other];
    if (holder.pauses == Pauses::kept && may_be_victim(holder)) {
      take(holder, state.nodes_of(other), -1);
      continue;
    }
    const double yield = state.stays(other, holder) ? holder.yield : 1;
    holders_.push_back({view.now + std::max(0.0, limit[other] - holder.virtual_time(view.now)) / yield, other});
  }
  std::stable_sort(holders_.begin(), holders_.end(), [](const Holder& a, const Holder& b) { return a.end < b.end; });

  std::uint64_t open = 0;
  for (NodeIndex n = 0; n < count; ++n) open += room(state, job, n);
  Seconds shadow = view.now;
  for (std::size_t k = 0; k < holders_.size(); ++k) {
    // What ends at the same time as the last that is needed is free then, too.
    if (open >= job.tasks && holders_[k].end > shadow) break;
    shadow = holders_[k].end;
    const std::span<const NodeIndex> nodes = state.nodes_of(holders_[k].job);
    each_node(nodes, [&](NodeIndex n) {
      open -= room(state, job, n);
      released_[n] = 1;
    });
    take(view.jobs[holders_[k].job], nodes, -1);
    each_node(nodes, [&](NodeIndex n) { open += room(state, job, n); });
  }
  if (open < job.tasks) return;
  shadow_ = shadow;
  job_ = slot;
  // Nodes that others hold now come first: free ones are left to jobs that can start.
  std::uint32_t left = job.tasks;
  for (const bool released : {true, false}) {
    for (NodeIndex n = 0; n < count && left > 0; ++n) {
      if ((released_[n] != 0) != released) continue;
      const std::uint32_t here = std::min(left, room(state, job, n));
      for (std::size_t d = 0; d < dims_; ++d) later_[n][d] -= job.rigid[d] * here;
      left -= here;
    }
  }
}

void Reservation::collect(const ClusterView& view, const ClusterState& state, JobSlot slot, double urgency) {
  const JobView& job = view.jobs[slot];
  if (job.flags.exclusive || has_home(job)) return;
  start(state);
  for (const JobSlot other : state.active()) {
    const JobView& holder = view.jobs[other];
    if (!state.placed(other) || holder.pauses != Pauses::kept || !may_be_victim(holder)) continue;
    take(holder, state.nodes_of(other), -1);
  }
  const auto count = static_cast<NodeIndex>(state.node_count());
  std::uint64_t open = 0;
  for (NodeIndex n = 0; n < count; ++n) open += room(state, job, n);
  if (open >= job.tasks) return;
  shadow_ = view.now;
  job_ = slot;
  urgency_ = urgency;
  emptiest_.clear();
  for (NodeIndex n = 0; n < count; ++n) emptiest_.push_back(n);
  std::stable_sort(emptiest_.begin(), emptiest_.end(),
                   [&](NodeIndex a, NodeIndex b) { return later_[a][kMemory] > later_[b][kMemory]; });
  std::uint32_t left = job.tasks;
  for (const NodeIndex n : emptiest_) {
    if (left == 0) break;
    const std::uint32_t here = std::min(left, state.room_alone(job, n));
    for (std::size_t d = 0; d < dims_; ++d) later_[n][d] -= job.rigid[d] * here;
    left -= here;
  }
}

bool Reservation::keeps_off(const JobView& job, double urgency) const {
  return job.pauses == Pauses::none && !has_home(job) && kCollects * urgency < urgency_;
}

bool Reservation::limits(const JobView& job, Seconds limit, Seconds now) const {
  return made() && job.pauses == Pauses::none && !has_home(job) && now + limit > shadow_;
}

std::uint32_t Reservation::room_beside(const JobView& job, NodeIndex n) const {
  RigidAmount count = job.tasks;
  for (std::size_t d = 0; d < dims_; ++d) {
    if (job.rigid[d] > 0) count = std::min(count, std::max<RigidAmount>(0, later_[n][d]) / job.rigid[d]);
  }
  return static_cast<std::uint32_t>(count);
}

std::uint32_t Reservation::room(const ClusterState& state, const JobView& job, NodeIndex n) const {
  return state.room_alone(job, n) == 0 ? 0 : room_beside(job, n);
}

void Reservation::take(const JobView& job, std::span<const NodeIndex> nodes, int tasks) {
  for (const NodeIndex n : nodes) {
    for (std::size_t d = 0; d < dims_; ++d) later_[n][d] -= job.rigid[d] * tasks;
  }
}

}  // namespace dfrs::triage
