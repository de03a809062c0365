// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/harm_placer.h"

#include <algorithm>

#include "policy/core/compare.h"
#include "policy/triage/lanes.h"

namespace dfrs::triage {

void HarmPlacer::begin(const DecisionContext& context) {
  residents_known_ = false;
  residents_.resize(context.view.jobs.size());
}

// Copies, once per call that needs it, the few facts that find() reads many times and in no particular order. They are
// far smaller than the views.
void HarmPlacer::know_residents(const DecisionContext& context) {
  residents_known_ = true;
  for (JobSlot slot : context.state.active()) {
    const JobView& job = context.job(slot);
    residents_[slot].yield = job.yield;
    residents_[slot].counts = weight_of(job, context.at) * job.cpu_need * job.tasks;
  }
}

void HarmPlacer::expect_yields(const DecisionContext& context) {
  for (JobSlot slot : context.residents.placed_now()) {
    if (!context.state.placed(slot)) continue;
    double yield = context.job(slot).yield;
    if (!context.stayed(slot)) {
      yield = 1;
      each_node(context.state.nodes_of(slot), [&](NodeIndex n) {
        yield = std::min(yield, context.state.cpu_capacity(n) / context.state.cpu_load(n));
      });
    }
    residents_[slot].yield = yield;
  }
}

// Breaks ties of equal harm, lowest value first: the fullest node that has CPU left, so that whole nodes stay free for
// wide jobs; if none has, the least loaded. Then the node with the least memory left.
double HarmPlacer::tie(const Candidate& c) { return (c.load > 1 ? 10 * c.load : -10 * c.load) + c.spare; }

double HarmPlacer::own_loss(const Candidate& c) const {
  return own_counts_ * std::max(0.0, own_share_ - 1 / (c.load + c.step));
}

double HarmPlacer::loss_of_residents(const DecisionContext& context, const Candidate& c, double own,
                                     double most) const {
  const double share = 1 / (c.load + c.step);
  double cost = 0;
  for (JobSlot r : context.residents.on(c.node)) {
    const Resident& resident = residents_[r];
    if (resident.yield <= share || resident.counted == mark_) continue;
    cost += resident.counts * (resident.yield - share);
    if (own + cost > most) return -1;
  }
  return cost;
}

void HarmPlacer::count_residents(const DecisionContext& context, NodeIndex n) {
  for (JobSlot r : context.residents.on(n)) {
    if (residents_[r].counted == mark_) continue;
    residents_[r].counted = mark_;
    each_node(context.state.nodes_of(r), [&](NodeIndex m) {
      const std::uint32_t k = candidate_of_[m];
      if (k < candidates_.size() && candidates_[k].node == m) candidates_[k].others = -1;
    });
  }
}

void HarmPlacer::enter(const ClusterState& state, const JobView& job, NodeIndex n, std::uint32_t room) {
  room_total_ += room;
  const double capacity = state.cpu_capacity(n);
  Candidate c{n, room, 0, state.cpu_load(n) / capacity, job.cpu_need / capacity, 0, 0};
  for (std::size_t d = 0; d < state.rigid_dims(); ++d) {
    const auto whole = static_cast<double>(state.rigid_capacity(n)[d]);
    if (!(whole > 0)) continue;
    c.spare += static_cast<double>(state.rigid_free(n)[d]) / whole;
    c.spare_step += static_cast<double>(job.rigid[d]) / whole;
  }
  candidate_of_[n] = static_cast<std::uint32_t>(candidates_.size());
  candidates_.push_back(c);
  load_after_.push_back(c.load + c.step);
}

// Collects the candidates. True if there is room for all tasks.
bool HarmPlacer::collect(const DecisionContext& context, JobSlot slot) {
  const ClusterState& state = context.state;
  const JobView& job = context.job(slot);
  const NodeIndex count = lane_end(context, slot);
  candidate_of_.resize(state.node_count());
  candidates_.clear();
  load_after_.clear();
  room_total_ = 0;
  const bool beside = context.beside(slot);
  for (NodeIndex n = 0; n < count; ++n) {
    if (state.rigid_free(n)[kMemory] < job.rigid[kMemory]) continue;  // most nodes of a busy cluster are full
    std::uint32_t room = state.room_for(job, n);
    if (beside && room != 0) room = std::min(room, context.reservation->room_beside(job, n));
    if (room != 0) enter(state, job, n, room);
  }
  return room_total_ >= job.tasks;
}

// Updates the best choice. False if the job alone would lose more there than the best candidate costs.
bool HarmPlacer::consider(const DecisionContext& context, Candidate& c, Choice& best) {
  const double tied = tie(c);
  const bool any = best.candidate != nullptr;
  if (any && best.cost <= 0 && tied > best.tie) return true;  // no cost is below 0
  double cost = 0;
  if (!cpu_fits(c.load + c.step, 1)) {
    const double own = own_loss(c);
    if (any && own > best.cost) return false;
    if (!residents_known_) know_residents(context);
    if (!expected_) expect_yields(context);
    expected_ = true;
    if (c.others < 0) c.others = loss_of_residents(context, c, own, any ? best.cost : kNever);
    if (c.others < 0) return true;
    cost = own + c.others;
  }
  if (any) {
    if (cost > best.cost || (cost == best.cost && tied > best.tie)) return true;
    if (cost == best.cost && tied == best.tie && best.candidate->node <= c.node) return true;
  }
  best = {&c, cost, tied};
  return true;
}

HarmPlacer::Choice HarmPlacer::choose(const DecisionContext& context) {
  // The least loaded node goes first: most others are then ruled out by the job's own loss.
  Choice best;
  const auto least = std::min_element(load_after_.begin(), load_after_.end());
  consider(context, candidates_[static_cast<std::size_t>(least - load_after_.begin())], best);
  // The job's own loss grows with the load, so once it is too high it is too high at all higher loads.
  double too_much = kNever;
  for (std::size_t k = 0; k < candidates_.size(); ++k) {
    if (load_after_[k] < too_much && !consider(context, candidates_[k], best)) too_much = load_after_[k];
  }
  return best;
}

std::span<const NodeIndex> HarmPlacer::find(const DecisionContext& context, JobSlot slot, double least) {
  const JobView& job = context.job(slot);
  if (job.flags.may_not_move && !job.nodes.empty()) return former_.find(context.state, job);
  if (!collect(context, slot)) return {};

  own_counts_ = context.options.own_loss * job.cpu_need * job.tasks * weight_of(job, context.at);
  ++mark_;
  own_share_ = 1;
  expected_ = false;
  nodes_.clear();
  for (std::uint32_t task = 0; task < job.tasks; ++task) {
    Candidate* const chosen = choose(context).candidate;
    if (chosen == nullptr) return {};  // cannot be: collect() has found room for all tasks
    Candidate& best = *chosen;
    nodes_.push_back(best.node);
    ++best.taken;
    best.load += best.step;
    best.others = -1;
    best.spare -= best.spare_step;
    load_after_[candidate_of_[best.node]] = best.taken == best.room ? kNever : best.load + best.step;
    if (!cpu_fits(best.load, 1)) {
      own_share_ = std::min(own_share_, 1 / best.load);
      if (own_share_ < least) break;
      count_residents(context, best.node);
    }
  }
  std::sort(nodes_.begin(), nodes_.end());
  return nodes_;
}

}  // namespace dfrs::triage
