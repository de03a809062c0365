// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/harm_placer.h"

#include <algorithm>

#include "policy/compare.h"

namespace dfrs::triage {

void HarmPlacer::expect_yields(const Call& call) {
  for (JobSlot slot : call.state.touched()) {
    if (!call.state.placed(slot) || call.stayed(slot)) continue;
    double yield = 1;
    each_node(call.state.nodes_of(slot), [&](NodeIndex n) {
      yield = std::min(yield, call.state.cpu_capacity(n) / call.state.cpu_load(n));
    });
    expected_[slot] = yield;
    is_expected_[slot] = mark_;
  }
}

double HarmPlacer::yield_of(const Call& call, JobSlot resident) const {
  return is_expected_[resident] == mark_ ? expected_[resident] : call.job(resident).yield;
}

// Of equal harm: the fullest node that has CPU left, so that whole nodes stay free for wide jobs; where none has, the
// least loaded. Then the one with the least memory left over.
double HarmPlacer::tie(const Candidate& c) { return (c.load > 1 ? 10 * c.load : -10 * c.load) + c.spare; }

double HarmPlacer::loss_of_residents(const Call& call, const Candidate& c) const {
  const double share = 1 / (c.load + c.step);
  double cost = 0;
  for (JobSlot r : call.residents.on(c.node)) {
    const double yield = yield_of(call, r);
    if (yield <= share || counted_[r] == mark_) continue;
    const JobView& other = call.job(r);
    const double weight =
        weight_of(other, call.at) * (other.virtual_time(call.at.now) < young_ ? call.options.young_loss : 1.0);
    cost += weight * other.cpu_need * other.tasks * (yield - share);
  }
  return cost;
}

void HarmPlacer::count_residents(const Call& call, NodeIndex n) {
  for (JobSlot r : call.residents.on(n)) {
    if (counted_[r] == mark_) continue;
    counted_[r] = mark_;
    each_node(call.state.nodes_of(r), [&](NodeIndex m) {
      const std::uint32_t k = candidate_of_[m];
      if (k < candidates_.size() && candidates_[k].node == m) candidates_[k].others = -1;
    });
  }
}

void HarmPlacer::collect(const Call& call, const JobView& job) {
  const ClusterState& state = call.state;
  candidates_.clear();
  room_total_ = 0;
  const auto count = static_cast<NodeIndex>(state.node_count());
  candidate_of_.resize(count);
  for (NodeIndex n = 0; n < count; ++n) {
    const std::uint32_t room = state.room_for(job, n);
    if (room == 0) continue;
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
  }
}

std::span<const NodeIndex> HarmPlacer::find(const Call& call, JobSlot slot) {
  const JobView& job = call.job(slot);
  if (job.flags.may_not_move && !job.nodes.empty()) return former_.find(call.state, job);
  collect(call, job);
  if (room_total_ < job.tasks) return {};

  const double own_loss = call.options.own_loss * job.cpu_need * job.tasks * weight_of(job, call.at);
  young_ = kYoung * std::max(job.virtual_time(call.at.now), short_job(call.options));
  ++mark_;
  counted_.resize(call.view.jobs.size(), 0);
  expected_.resize(call.view.jobs.size(), 1.0);
  is_expected_.resize(call.view.jobs.size(), 0);
  double own_share = 1;
  bool expected = false;  // whether the yields of residents have been
  nodes_.clear();
  for (std::uint32_t task = 0; task < job.tasks; ++task) {
    Candidate* best = nullptr;
    double best_cost = 0;
    double best_tie = 0;
    const auto consider = [&](Candidate& c) {
      const double tied = tie(c);
      if (best != nullptr && best_cost <= 0 && tied > best_tie) return;  // no cost is below 0
      double cost = 0;
      if (!cpu_fits(c.load + c.step, 1)) {
        const double own = own_loss * std::max(0.0, own_share - 1 / (c.load + c.step));
        if (best != nullptr && own > best_cost) return;
        if (!expected) expect_yields(call);
        expected = true;
        if (c.others < 0) c.others = loss_of_residents(call, c);
        cost = own + c.others;
      }
      if (best != nullptr) {
        if (cost > best_cost || (cost == best_cost && tied > best_tie)) return;
        if (cost == best_cost && tied == best_tie && best->node <= c.node) return;
      }
      best = &c, best_cost = cost, best_tie = tied;
    };
    // The least loaded node first: it rules out most of the others by what the job itself would lose there.
    Candidate* least = nullptr;
    for (Candidate& c : candidates_) {
      if (c.taken != c.room && (least == nullptr || c.load + c.step < least->load + least->step)) least = &c;
    }
    consider(*least);
    for (Candidate& c : candidates_) {
      if (c.taken != c.room) consider(c);
    }
    nodes_.push_back(best->node);
    ++best->taken;
    best->load += best->step;
    best->others = -1;
    best->spare -= best->spare_step;
    if (!cpu_fits(best->load, 1)) {
      own_share = std::min(own_share, 1 / best->load);
      count_residents(call, best->node);
    }
  }
  std::sort(nodes_.begin(), nodes_.end());
  return nodes_;
}

}  // namespace dfrs::triage
