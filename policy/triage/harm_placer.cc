// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/harm_placer.h"

#include <algorithm>

#include "policy/core/compare.h"
#include "policy/triage/lanes.h"

namespace dfrs::triage {
namespace {

// Costs are computed in different ways, which differ by less than this part of the largest of them.
constexpr double kRounding = 1e-9;
// A job has many nodes to choose from if the first of this many parts of the nodes has room for it, on one node of this
// many or more.
constexpr std::size_t kManyParts = 8;

}  // namespace

void HarmPlacer::begin(const DecisionContext& context) {
  const bool large = context.state.node_count() >= large_;
  losses_.begin(context, large);
  if (!large || has_event(context.events, EventKind::resync)) all_orders_.reset();
  all_orders_.begin();
  noted_.reset(context.state.node_count());
  changed_.reset(context.state.node_count());
  if (!large) return;
  for (NodeIndex n : context.state.changed_nodes()) noted_.add(n);
  context.state.note_changes_into(&noted_);
}

void HarmPlacer::end(const DecisionContext& context) {
  context.state.note_changes_into(nullptr);
  take_notes();
  note_stale(context);
}

// Takes note of the nodes whose load has changed since the last call of this.
void HarmPlacer::take_notes() {
  for (NodeIndex n : noted_.nodes()) {
    losses_.load_changed(n);
    changed_.add(n);
  }
  noted_.clear();
}

// Tells the orders what has changed since the last call of this.
void HarmPlacer::note_stale(const DecisionContext& context) {
  if (all_orders_.any()) {
    for (NodeIndex n : losses_.changed_nodes()) all_orders_.changed(context, losses_, n);
    for (NodeIndex n : changed_.nodes()) all_orders_.changed(context, losses_, n);
  }
  losses_.forget_changes();
  changed_.clear();
}

// On a node with this load, relative to its capacity.
double HarmPlacer::own_loss(double load) const { return own_counts_ * std::max(0.0, own_share_ - 1 / load); }

double HarmPlacer::tie(const ClusterState& state, std::size_t k) {
  if (tie_[k] < kNever) return tie_[k];
  if (taken_at_[k] == 0) return tie_[k] = HarmOrders::tie(state, nodes_with_room_[k]);
  const Taken& taken = taken_[taken_at_[k] - 1];
  return tie_[k] = HarmOrders::tie(taken.load, taken.spare);
}

std::uint32_t HarmPlacer::room_at(const DecisionContext& context, const JobView& job, NodeIndex n) const {
  const std::uint32_t room = context.state.room_for(job, n);
  return room != 0 && beside_ ? std::min(room, context.reservation->room_beside(job, n)) : room;
}

bool HarmPlacer::is_candidate(NodeIndex n) const {
  const std::uint32_t k = candidate_of_[n];
  return k < nodes_with_room_.size() && nodes_with_room_[k] == n;
}

void HarmPlacer::clear_candidates() {
  nodes_with_room_.clear();
  load_after_.clear();
  least_cost_.clear();
  tie_.clear();
  taken_at_.clear();
  least_loaded_ = kNone;
}

// A node with room for a task of the job.
void HarmPlacer::add_candidate(const DecisionContext& context, const JobView& job, NodeIndex n) {
  const std::size_t k = nodes_with_room_.size();
  candidate_of_[n] = static_cast<std::uint32_t>(k);
  nodes_with_room_.push_back(n);
  const double capacity = context.state.cpu_capacity(n);
  load_after_.push_back(context.state.cpu_load(n) / capacity + job.cpu_need / capacity);
  least_cost_.push_back(0);
  tie_.push_back(kNever);
  taken_at_.push_back(0);
  if (least_loaded_ == kNone || load_after_[k] < load_after_[least_loaded_]) least_loaded_ = k;
}

// Collects the candidates. True if there is room for all tasks.
bool HarmPlacer::collect(const DecisionContext& context, JobSlot slot) {
  const ClusterState& state = context.state;
  const JobView& job = context.job(slot);
  lane_end_ = lane_end(context, slot);
  candidate_of_.resize(state.node_count());
  clear_candidates();
  beside_ = context.beside(slot);
  orders_ = nullptr;
  next_by_tie_ = 0;
  last_ = kNone;
  bool may_order = state.node_count() >= large_;
  std::uint64_t room_total = 0;
  for (NodeIndex n = 0; (n = state.next_with_memory(n, job.rigid[kMemory])) < lane_end_; ++n) {
    const std::uint32_t room = room_at(context, job, n);
    if (room == 0) continue;
    room_total += room;
    add_candidate(context, job, n);
    if (!may_order || room_total < job.tasks) continue;
    may_order = false;
    const bool many = n < state.node_count() / kManyParts && n < nodes_with_room_.size() * kManyParts;
    if (many && use_orders(context, job)) return true;
  }
  return room_total >= job.tasks;
}

// Where a small part of the nodes has room for the job, most of the others have room, too: then only nodes for which
// the orders do not hold become candidates. False if there are no orders.
bool HarmPlacer::use_orders(const DecisionContext& context, const JobView& job) {
  losses_.settle(context);
  note_stale(context);
  orders_ = all_orders_.of(context, losses_, job.cpu_need);
  if (orders_ == nullptr) return false;
  clear_candidates();
  for (NodeIndex n : orders_->stale.nodes()) {
    if (n < lane_end_ && room_at(context, job, n) > 0) add_candidate(context, job, n);
  }
  return true;
}

// Makes the node the best choice if it is better.
void HarmPlacer::enter(NodeIndex n, double cost, double tie, Choice& best) {
  if (best.beaten_by(cost)) return;
  if (best.any && cost == best.cost && (tie > best.tie || (tie == best.tie && best.node <= n))) return;
  best = {true, n, cost, tie};
}

// Updates the best choice. False if the job alone would lose more there than the best choice costs.
bool HarmPlacer::consider(const DecisionContext& context, std::size_t k, Choice& best) {
  double cost = 0;
  if (!cpu_fits(load_after_[k], 1)) {
    const double own = own_loss(load_after_[k]);
    if (best.beaten_by(own)) return false;
    const ResidentLosses::Loss others =
        losses_.at(context, nodes_with_room_[k], 1 / load_after_[k], own, best.any ? best.cost : kNever);
    least_cost_[k] = own_counts_ * (1 - own_share_) + own + others.loss;
    if (!others.whole) return true;
    cost = own + others.loss;
  }
  if (!best.beaten_by(cost)) enter(nodes_with_room_[k], cost, tie(context.state, k), best);
  return true;
}

// Whether the orders hold for the node, and it has room.
bool HarmPlacer::is_other(const DecisionContext& context, const JobView& job, NodeIndex n) const {
  return n < lane_end_ && !orders_->stale.contains(n) && !is_candidate(n) && room_at(context, job, n) > 0;
}

// Looks at the nodes that are no candidates, until no other one of them can be better.
void HarmPlacer::consider_others(const DecisionContext& context, const JobView& job, Choice& best) {
  const RigidAmount memory = job.rigid[kMemory];
  const HarmOrders::Order& by_tie = orders_->by_tie;
  const HarmOrders::Order& by_load = orders_->by_load;
  const HarmOrders::Order& by_loss = orders_->by_loss;
  // What is no choice once is none for all tasks of this job.
  next_by_tie_ = by_tie.next(next_by_tie_, memory);
  while (next_by_tie_ < by_tie.size() && !is_other(context, job, by_tie[next_by_tie_].node)) {
    next_by_tie_ = by_tie.next(next_by_tie_ + 1, memory);
  }
  if (next_by_tie_ < by_tie.size()) enter(by_tie[next_by_tie_].node, 0, by_tie[next_by_tie_].tie, best);
  // Returns the next to look at. Behind one that costs too much, all of the same key do. Behind one that is a choice,
  // those with the same load and loss are no better.
  const auto consider = [&](const HarmOrders::Order& order, std::size_t k) {
    const HarmOrders::Entry& entry = order[k];
    const double cost = own_loss(entry.load) + entry.loss;
    if (best.beaten_by(cost)) return order.next(order.next_key(k), memory);
    if (!is_other(context, job, entry.node)) return order.next(k + 1, memory);
    enter(entry.node, cost, entry.tie, best);
    return order.next(order.next_unlike(k), memory);
  };
  // Overloaded nodes: one not yet seen in either order costs at least as much as those at which they stand do together
  // (Fagin, Lotem, Naor: Optimal aggregation algorithms for middleware, PODS 2001, section 4).
  std::size_t i = by_load.next(0, memory);
  std::size_t k = by_loss.next(0, memory);
  while (i < by_load.size() && k < by_loss.size()) {
    if (best.beaten_by(own_loss(by_load[i].load) + by_loss[k].loss)) break;
    i = consider(by_load, i);
    k = consider(by_loss, k);
  }
}

// What a candidate may cost at least, in the terms of least_cost_, without being ruled out.
double HarmPlacer::most_of_interest(const Choice& best) const {
  if (!best.any) return kNever;
  const double most = best.cost + own_counts_ * (1 - own_share_);
  return most + kRounding * (most + own_counts_);
}

// The candidate for the next task; kNone: there is none.
std::size_t HarmPlacer::choose(const DecisionContext& context, const JobView& job) {
  Choice best;
  if (orders_ != nullptr) consider_others(context, job, best);
  // Good ones go first: most others are then ruled out. They are the least loaded and the one that was chosen last.
  for (const std::size_t k : {least_loaded_, last_}) {
    if (k != kNone && load_after_[k] < kNever) consider(context, k, best);
  }
  // The job's own loss grows with the load, so once it is too high it is too high at all higher loads.
  double too_much = kNever;
  double most = most_of_interest(best);
  for (std::size_t k = 0; k < load_after_.size(); ++k) {
    if (!(load_after_[k] < too_much) || least_cost_[k] > most) continue;
    if (!consider(context, k, best)) too_much = load_after_[k];
    if (best.node == nodes_with_room_[k]) most = most_of_interest(best);
  }
  if (!best.any) return kNone;
  if (!is_candidate(best.node)) add_candidate(context, job, best.node);
  return candidate_of_[best.node];
}

// One more task goes to the candidate.
void HarmPlacer::take(const DecisionContext& context, const JobView& job, std::size_t k) {
  const NodeIndex n = nodes_with_room_[k];
  const double capacity = context.state.cpu_capacity(n);
  const double step = job.cpu_need / capacity;
  if (taken_at_[k] == 0) {
    const ClusterState& state = context.state;
    taken_.push_back({n, room_at(context, job, n), 0, state.cpu_load(n) / capacity,
                      HarmOrders::rigid_parts(state, state.rigid_free(n), n),
                      HarmOrders::rigid_parts(state, job.rigid, n)});
    taken_at_[k] = static_cast<std::uint32_t>(taken_.size());
  }
  Taken& taken = taken_[taken_at_[k] - 1];
  ++taken.count;
  taken.load += step;
  taken.spare -= taken.spare_step;
  load_after_[k] = taken.count == taken.room ? kNever : taken.load + step;
  least_cost_[k] = 0;
  tie_[k] = kNever;
  last_ = k;
  nodes_.push_back(n);
  if (!cpu_fits(taken.load, 1)) own_share_ = std::min(own_share_, 1 / taken.load);
}

// The residents of the node lose nothing more on their other nodes.
void HarmPlacer::count_residents(const DecisionContext& context, const JobView& job, NodeIndex n) {
  losses_.count(context, n, [&](NodeIndex m) {
    if (is_candidate(m)) {
      least_cost_[candidate_of_[m]] = 0;
    } else if (orders_ != nullptr && m < lane_end_ && room_at(context, job, m) > 0) {
      add_candidate(context, job, m);
    }
  });
}

std::span<const NodeIndex> HarmPlacer::find(const DecisionContext& context, JobSlot slot, double least) {
  const JobView& job = context.job(slot);
  if (job.flags.may_not_move && !job.nodes.empty()) return former_.find(context.state, job);
  take_notes();
  losses_.begin_search(job.cpu_need);
  if (!collect(context, slot)) return {};

  own_counts_ = context.options.own_loss * job.cpu_need * job.tasks * weight_of(job, context.at);
  own_share_ = 1;
  taken_.clear();
  nodes_.clear();
  for (std::uint32_t task = 0; task < job.tasks; ++task) {
    const std::size_t chosen = choose(context, job);
    if (chosen == kNone) return {};  // cannot be: collect() has found room for all tasks
    take(context, job, chosen);
    if (own_share_ < least) break;
    if (!cpu_fits(taken_[taken_at_[chosen] - 1].load, 1)) count_residents(context, job, nodes_with_room_[chosen]);
  }
  std::sort(nodes_.begin(), nodes_.end());
  return nodes_;
}

}  // namespace dfrs::triage
