// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/rr7659/greedy.h"

#include <algorithm>

#include "policy/core/node_runs.h"

namespace dfrs {
namespace {

// After this many nodes that have room but refuse the job, by eligibility or exclusiveness, all nodes are scanned
// instead.
constexpr std::size_t kMostRefused = 256;

}  // namespace

std::span<const NodeIndex> Greedy::find(const ClusterState& state, const JobView& job) {
  if (job.flags.may_not_move && !job.nodes.empty()) return former_nodes(state, job);
  if (const auto orders = state.nodes_by_load(); !orders.empty()) {
    const Found found = find_by_load(state, job, orders);
    if (found == Found::yes) return nodes_;
    if (found == Found::no) return {};
  }
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

// Makes the same choice from the nodes sorted by load. Candidates are the first node with room of each load, because it
// wins all ties within that load, and the nodes that have tasks of the job already. Different loads may round to the
// same load with one more task, so all loads up to that of the best candidate are opened before a task goes to it.
Greedy::Found Greedy::find_by_load(const ClusterState& state, const JobView& job,
                                   std::span<const NodesByLoad::Order> orders) {
  using Order = NodesByLoad::Order;
  const std::size_t dims = state.rigid_dims();
  refused_ = 0;
  fronts_.clear();
  placed_.clear();
  nodes_.clear();
  for (const Order& order : orders) fronts_.push_back({&order, order.first_with({}, job.rigid, dims)});
  for (std::uint32_t count = 1;; ++count) {
    for (Front& front : fronts_) {
      const Order& order = *front.order;
      while (!order.ended(front.spot)) {
        const double load = order[front.spot].load;
        if (!placed_.empty() && (load + job.cpu_need) / order.cpu_capacity() > placed_.front().load_after) break;
        if (!open(state, job, order, front.spot)) return Found::unknown;
        front.spot = order.first_with(order.above(load), job.rigid, dims);
      }
    }
    if (placed_.empty()) return Found::no;
    std::pop_heap(placed_.begin(), placed_.end(), Worse{});
    Placed best = placed_.back();
    placed_.pop_back();
    nodes_.push_back(best.node);
    if (count == job.tasks) break;
    if (best.order != nullptr) {
      const Order::Spot next = best.order->first_with(best.order->next(best.spot), job.rigid, dims);
      if (!best.order->ended(next) && (*best.order)[next].load == (*best.order)[best.spot].load &&
          !open(state, job, *best.order, next)) {
        return Found::unknown;
      }
      best.order = nullptr;
    }
    if (--best.room == 0) continue;
    best.load_after += job.cpu_need / state.cpu_capacity(best.node);
    placed_.push_back(best);
    std::push_heap(placed_.begin(), placed_.end(), Worse{});
  }
  std::sort(nodes_.begin(), nodes_.end());
  return Found::yes;
}

// Makes the first node from `spot` on that takes a task a candidate, among those of equal load. False after too many
// refusals.
bool Greedy::open(const ClusterState& state, const JobView& job, const NodesByLoad::Order& order,
                  NodesByLoad::Order::Spot spot) {
  const double load = order[spot].load;
  const std::size_t dims = state.rigid_dims();
  for (; !order.ended(spot) && order[spot].load == load; spot = order.first_with(order.next(spot), job.rigid, dims)) {
    const NodeIndex n = order[spot].node;
    const std::uint32_t room = state.room_for(job, n);
    if (room == 0) {
      if (++refused_ > kMostRefused) return false;
      continue;
    }
    placed_.push_back({{(load + job.cpu_need) / order.cpu_capacity(), n, room}, &order, spot});
    std::push_heap(placed_.begin(), placed_.end(), Worse{});
    break;
  }
  return true;
}

std::span<const NodeIndex> Greedy::former_nodes(const ClusterState& state, const JobView& job) {
  if (job.nodes.size() != job.tasks) return {};
  const bool fit = all_node_runs(job.nodes, [&](NodeIndex n, std::uint32_t tasks) {
    return n < state.node_count() && state.room_for(job, n) >= tasks;
  });
  if (!fit) return {};
  nodes_.assign(job.nodes.begin(), job.nodes.end());
  return nodes_;
}

bool Greedy::place(ClusterState& state, const ClusterView& view, JobSlot job) {
  const std::span<const NodeIndex> nodes = find(state, view.jobs[job]);
  if (nodes.empty()) {
    state.explain({ReasonKind::no_room, job});
    return false;
  }
  state.place(job, view.jobs[job], nodes);
  state.explain({ReasonKind::room, job});
  return true;
}

}  // namespace dfrs
