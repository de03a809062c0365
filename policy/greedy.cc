// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/greedy.h"

#include <algorithm>

namespace dfrs {

std::span<const NodeIndex> Greedy::find(const ClusterState& state, const JobView& job) {
  if (job.flags.may_not_move && !job.nodes.empty()) return former_nodes(state, job);
  if (job.tasks == 1) return find_one(state, job);

  heap_.clear();
  std::uint64_t room_total = 0;
  const auto count = static_cast<NodeIndex>(state.node_count());
  for (NodeIndex n = 0; n < count; ++n) {
    const std::uint32_t room = state.room_for(job, n);
    if (room == 0) continue;
    room_total += room;
    heap_.push_back({(state.cpu_load(n) + job.cpu_need) / state.cpu_capacity(n), n, room});
  }
  if (room_total < job.tasks) return {};

  std::make_heap(heap_.begin(), heap_.end(), Worse{});
  nodes_.clear();
  for (std::uint32_t placed = 1;; ++placed) {
    std::pop_heap(heap_.begin(), heap_.end(), Worse{});
    Candidate& best = heap_.back();
    nodes_.push_back(best.node);
    if (placed == job.tasks) break;
    if (--best.room == 0) {
      heap_.pop_back();
      continue;
    }
    best.load_after += job.cpu_need / state.cpu_capacity(best.node);
    std::push_heap(heap_.begin(), heap_.end(), Worse{});
  }
  std::sort(nodes_.begin(), nodes_.end());
  return nodes_;
}

std::span<const NodeIndex> Greedy::find_one(const ClusterState& state, const JobView& job) {
  NodeIndex best = 0;
  double best_load = kNever;
  const auto count = static_cast<NodeIndex>(state.node_count());
  for (NodeIndex n = 0; n < count; ++n) {
    const double load = (state.cpu_load(n) + job.cpu_need) / state.cpu_capacity(n);
    if (load < best_load && state.room_for(job, n) != 0) {
      best_load = load;
      best = n;
    }
  }
  if (best_load == kNever) return {};
  nodes_.assign(1, best);
  return nodes_;
}

std::span<const NodeIndex> Greedy::former_nodes(const ClusterState& state, const JobView& job) {
  if (job.nodes.size() != job.tasks) return {};
  for (std::size_t k = 0; k < job.nodes.size();) {
    std::size_t end = k;
    while (end < job.nodes.size() && job.nodes[end] == job.nodes[k]) ++end;
    if (job.nodes[k] >= state.node_count() || state.room_for(job, job.nodes[k]) < end - k) return {};
    k = end;
  }
  nodes_.assign(job.nodes.begin(), job.nodes.end());
  return nodes_;
}

bool Greedy::place(ClusterState& state, const ClusterView& view, JobSlot job) {
  const std::span<const NodeIndex> nodes = find(state, view.jobs[job]);
  if (nodes.empty()) return false;
  state.place(job, view.jobs[job], nodes);
  return true;
}

}  // namespace dfrs
