// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/harm_placer.h"

#include <algorithm>

#include "policy/core/compare.h"
#include "policy/triage/lanes.h"

namespace dfrs::triage {
namespace {

// Costs are computed in different ways, which differ by less than this part of the largest of them.
constexpr double kRounding = 1e-9;

}  // namespace

void HarmPlacer::begin(const DecisionContext& context) { losses_.begin(context); }

// Sum over the rigid resources of how much of the node's this is.
double HarmPlacer::rigid_parts(const ClusterState& state, const RigidVector& amounts, NodeIndex n) {
  double sum = 0;
  for (std::size_t d = 0; d < state.rigid_dims(); ++d) {
    const auto whole = static_cast<double>(state.rigid_capacity(n)[d]);
    if (whole > 0) sum += static_cast<double>(amounts[d]) / whole;
  }
  return sum;
}

// On a node with this load, relative to its capacity.
double HarmPlacer::own_loss(double load) const { return own_counts_ * std::max(0.0, own_share_ - 1 / load); }

// Breaks ties of equal harm, lowest value first: the fullest node that has CPU left, so that whole nodes stay free for
// wide jobs; if none has, the least loaded. Then the node with the least rigid resources left.
double HarmPlacer::tie(const ClusterState& state, std::size_t k) {
  if (tie_[k] < kNever) return tie_[k];
  const NodeIndex n = nodes_with_room_[k];
  double load = state.cpu_load(n) / state.cpu_capacity(n);
  double spare = 0;
  if (taken_at_[k] == 0) {
    spare = rigid_parts(state, state.rigid_free(n), n);
  } else {
    const Taken& taken = taken_[taken_at_[k] - 1];
    load = taken.load;
    spare = taken.spare;
  }
  return tie_[k] = (load > 1 ? 10 * load : -10 * load) + spare;
}

std::uint32_t HarmPlacer::room_at(const DecisionContext& context, const JobView& job, NodeIndex n) const {
  const std::uint32_t room = context.state.room_for(job, n);
  return room != 0 && beside_ ? std::min(room, context.reservation->room_beside(job, n)) : room;
}

// Collects the candidates. True if there is room for all tasks.
bool HarmPlacer::collect(const DecisionContext& context, JobSlot slot) {
  const ClusterState& state = context.state;
  const JobView& job = context.job(slot);
  const NodeIndex count = lane_end(context, slot);
  candidate_of_.resize(state.node_count());
  nodes_with_room_.clear();
  load_after_.clear();
  beside_ = context.beside(slot);
  least_loaded_ = kNone;
  last_ = kNone;
  std::uint64_t room_total = 0;
  for (NodeIndex n = 0; n < count; ++n) {
    if (state.rigid_free(n)[kMemory] < job.rigid[kMemory]) continue;  // most nodes of a busy cluster are full
    const std::uint32_t room = room_at(context, job, n);
    if (room == 0) continue;
    room_total += room;
    const std::size_t k = nodes_with_room_.size();
    candidate_of_[n] = static_cast<std::uint32_t>(k);
    nodes_with_room_.push_back(n);
    const double capacity = state.cpu_capacity(n);
    load_after_.push_back(state.cpu_load(n) / capacity + job.cpu_need / capacity);
    if (least_loaded_ == kNone || load_after_[k] < load_after_[least_loaded_]) least_loaded_ = k;
  }
  least_cost_.assign(nodes_with_room_.size(), 0.0);
  tie_.assign(nodes_with_room_.size(), kNever);
  taken_at_.assign(nodes_with_room_.size(), 0);
  return room_total >= job.tasks;
}

// Updates the best choice. False if the job alone would lose more there than the best candidate costs.
bool HarmPlacer::consider(const DecisionContext& context, std::size_t k, Choice& best) {
  const bool any = best.candidate != kNone;
  double cost = 0;
  if (!cpu_fits(load_after_[k], 1)) {
    const double own = own_loss(load_after_[k]);
    if (any && own > best.cost) return false;
    const ResidentLosses::Loss others =
        losses_.at(context, nodes_with_room_[k], 1 / load_after_[k], own, any ? best.cost : kNever);
    least_cost_[k] = own_counts_ * (1 - own_share_) + own + others.loss;
    if (!others.whole) return true;
    cost = own + others.loss;
  }
  if (any && cost > best.cost) return true;
  const double tied = tie(context.state, k);
  if (any && cost == best.cost) {
    if (tied > best.tie) return true;
    if (tied == best.tie && nodes_with_room_[best.candidate] <= nodes_with_room_[k]) return true;
  }
  best = {k, cost, tied};
  return true;
}

// What a candidate may cost at least, in the terms of least_cost_, without being ruled out.
double HarmPlacer::most_of_interest(const Choice& best) const {
  if (best.candidate == kNone) return kNever;
  const double most = best.cost + own_counts_ * (1 - own_share_);
  return most + kRounding * (most + own_counts_);
}

// The candidate for the next task; kNone: there is none.
std::size_t HarmPlacer::choose(const DecisionContext& context) {
  // Good ones go first: most others are then ruled out. They are the least loaded and the one that was chosen last.
  Choice best;
  for (const std::size_t k : {least_loaded_, last_}) {
    if (k != kNone && load_after_[k] < kNever) consider(context, k, best);
  }
  // The job's own loss grows with the load, so once it is too high it is too high at all higher loads.
  double too_much = kNever;
  double most = most_of_interest(best);
  for (std::size_t k = 0; k < load_after_.size(); ++k) {
    if (!(load_after_[k] < too_much) || least_cost_[k] > most) continue;
    if (!consider(context, k, best)) too_much = load_after_[k];
    if (best.candidate == k) most = most_of_interest(best);
  }
  return best.candidate;
}

// One more task goes to the candidate.
void HarmPlacer::take(const DecisionContext& context, const JobView& job, std::size_t k) {
  const NodeIndex n = nodes_with_room_[k];
  const double capacity = context.state.cpu_capacity(n);
  const double step = job.cpu_need / capacity;
  if (taken_at_[k] == 0) {
    const ClusterState& state = context.state;
    taken_.push_back({n, room_at(context, job, n), 0, state.cpu_load(n) / capacity,
                      rigid_parts(state, state.rigid_free(n), n), rigid_parts(state, job.rigid, n)});
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
void HarmPlacer::count_residents(const DecisionContext& context, NodeIndex n) {
  losses_.count(context, n, [&](NodeIndex m) {
    const std::uint32_t k = candidate_of_[m];
    if (k < nodes_with_room_.size() && nodes_with_room_[k] == m) least_cost_[k] = 0;
  });
}

std::span<const NodeIndex> HarmPlacer::find(const DecisionContext& context, JobSlot slot, double least) {
  const JobView& job = context.job(slot);
  if (job.flags.may_not_move && !job.nodes.empty()) return former_.find(context.state, job);
  if (!collect(context, slot)) return {};

  own_counts_ = context.options.own_loss * job.cpu_need * job.tasks * weight_of(job, context.at);
  own_share_ = 1;
  losses_.begin_search(job.cpu_need);
  taken_.clear();
  nodes_.clear();
  for (std::uint32_t task = 0; task < job.tasks; ++task) {
    const std::size_t chosen = choose(context);
    if (chosen == kNone) return {};  // cannot be: collect() has found room for all tasks
    take(context, job, chosen);
    if (own_share_ < least) break;
    if (!cpu_fits(taken_[taken_at_[chosen] - 1].load, 1)) count_residents(context, nodes_with_room_[chosen]);
  }
  std::sort(nodes_.begin(), nodes_.end());
  return nodes_;
}

}  // namespace dfrs::triage
