// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/harm_placer.h"

#include <algorithm>

#include "policy/compare.h"

namespace dfrs::triage {

void HarmPlacer::begin(const Call& call) {
  residents_known_ = false;
  residents_.resize(call.view.jobs.size());
}

// Once in a call that needs it: jobs are looked at many times, in no order, and these are a tenth of what a view says.
void HarmPlacer::know_residents(const Call& call) {
  residents_known_ = true;
  for (JobSlot slot : call.state.active()) {
    const JobView& job = call.job(slot);
    residents_[slot].yield = job.yield;
    residents_[slot].counts = weight_of(job, call.at) * job.cpu_need * job.tasks;
  }
}

void HarmPlacer::expect_yields(const Call& call) {
  for (JobSlot slot : call.residents.placed_now()) {
    if (!call.state.placed(slot)) continue;
    double yield = call.job(slot).yield;
    if (!call.stayed(slot)) {
      yield = 1;
      each_node(call.state.nodes_of(slot), [&](NodeIndex n) {
        yield = std::min(yield, call.state.cpu_capacity(n) / call.state.cpu_load(n));
      });
    }
    residents_[slot].yield = yield;
  }
}

// Of equal harm: the fullest node that has CPU left, so that whole nodes stay free for wide jobs; where none has, the
// least loaded. Then the one with the least memory left over.
double HarmPlacer::tie(const Candidate& c) { return (c.load > 1 ? 10 * c.load : -10 * c.load) + c.spare; }

double HarmPlacer::own_loss(const Candidate& c) const {
  return own_counts_ * std::max(0.0, own_share_ - 1 / (c.load + c.step));
}

double HarmPlacer::loss_of_residents(const Call& call, const Candidate& c, double own, double most) const {
  const double share = 1 / (c.load + c.step);
  double cost = 0;
  for (JobSlot r : call.residents.on(c.node)) {
    const Resident& resident = residents_[r];
    if (resident.yield <= share || resident.counted == mark_) continue;
    double counts = resident.counts;
    if (call.options.young_loss != 1) {
      const JobView& other = call.job(r);
      const double young = other.virtual_time(call.at.now) < young_ ? call.options.young_loss : 1.0;
      counts = weight_of(other, call.at) * young * other.cpu_need * other.tasks;
    }
    cost += counts * (resident.yield - share);
    if (own + cost > most) return -1;
  }
  return cost;
}

void HarmPlacer::count_residents(const Call& call, NodeIndex n) {
  for (JobSlot r : call.residents.on(n)) {
    if (residents_[r].counted == mark_) continue;
    residents_[r].counted = mark_;
    each_node(call.state.nodes_of(r), [&](NodeIndex m) {
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
}

// Whether there is room for all tasks.
bool HarmPlacer::collect(const Call& call, const JobView& job) {
  const ClusterState& state = call.state;
  const auto count = static_cast<NodeIndex>(state.node_count());
  candidate_of_.resize(count);
  if (const auto orders = state.nodes_by_load(); !orders.empty()) {
    if (collect_by_load(call, job, orders)) return room_total_ >= job.tasks;
  }
  rows_used_ = 0;
  candidates_.clear();
  room_total_ = 0;
  for (NodeIndex n = 0; n < count; ++n) {
    const std::uint32_t room = state.room_for(job, n);
    if (room != 0) enter(state, job, n, room);
  }
  return room_total_ >= job.tasks;
}

// The first candidates of each capacity, so many that there is room for all tasks if there is. Not where one of them has
// CPU left: it costs nothing, and the fullest of these comes first.
bool HarmPlacer::collect_by_load(const Call& call, const JobView& job, std::span<const NodesByLoad::Order> orders) {
  candidates_.clear();
  room_total_ = 0;
  rows_used_ = orders.size();
  if (rows_.size() < rows_used_) rows_.resize(rows_used_);
  for (std::size_t k = 0; k < rows_used_; ++k) {
    Row& row = rows_[k];
    row.order = &orders[k];
    row.next = {};
    row.members.clear();
    if (!extend(call, job, row)) continue;
    const Candidate& least = candidates_[row.members.front()];
    if (cpu_fits(least.load + least.step, 1)) return false;
  }
  for (std::size_t k = 0; k < rows_used_; ++k) {
    while (room_total_ < job.tasks && extend(call, job, rows_[k])) {
    }
  }
  return true;
}

// One candidate more; false if there is none.
bool HarmPlacer::extend(const Call& call, const JobView& job, Row& row) {
  const ClusterState& state = call.state;
  for (;;) {
    row.next = row.order->first_with(row.next, job.rigid, state.rigid_dims());
    if (row.order->ended(row.next)) return false;
    const NodeIndex n = (*row.order)[row.next].node;
    row.next = row.order->next(row.next);
    const std::uint32_t room = state.room_for(job, n);
    if (room == 0) continue;
    row.members.push_back(static_cast<std::uint32_t>(candidates_.size()));
    enter(state, job, n, room);
    return true;
  }
}

void HarmPlacer::consider(const Call& call, Candidate& c, Choice& best) {
  if (c.taken == c.room) return;
  const double tied = tie(c);
  const bool any = best.candidate != nullptr;
  if (any && best.cost <= 0 && tied > best.tie) return;  // no cost is below 0
  double cost = 0;
  if (!cpu_fits(c.load + c.step, 1)) {
    const double own = own_loss(c);
    if (any && own > best.cost) return;
    if (!residents_known_) know_residents(call);
    if (!expected_) expect_yields(call);
    expected_ = true;
    if (c.others < 0) c.others = loss_of_residents(call, c, own, any ? best.cost : kNever);
    if (c.others < 0) return;
    cost = own + c.others;
  }
  if (any) {
    if (cost > best.cost || (cost == best.cost && tied > best.tie)) return;
    if (cost == best.cost && tied == best.tie && best.candidate->node <= c.node) return;
  }
  best = {&c, cost, tied};
}

HarmPlacer::Choice HarmPlacer::choose(const Call& call) {
  // The least loaded node first: it rules out most of the others by what the job itself would lose there.
  Candidate* least = nullptr;
  for (Candidate& c : candidates_) {
    if (c.taken != c.room && (least == nullptr || c.load + c.step < least->load + least->step)) least = &c;
  }
  Choice best;
  consider(call, *least, best);
  for (Candidate& c : candidates_) consider(call, c, best);
  return best;
}

// As choose(). The job's own loss grows with the load, and so does what decides between nodes of equal cost where there
// is no CPU left: from some load on all are worse.
HarmPlacer::Choice HarmPlacer::choose_by_load(const Call& call, const JobView& job) {
  Choice best;
  std::uint32_t chosen = 0;  // candidates move when there are more
  for (std::size_t k = 0; k < rows_used_; ++k) {
    Row& row = rows_[k];
    for (std::size_t at = 0; at < row.members.size() || extend(call, job, row); ++at) {
      if (best.candidate != nullptr) best.candidate = &candidates_[chosen];
      Candidate& c = candidates_[row.members[at]];
      if (best.candidate != nullptr && c.taken == 0) {
        const double own = own_loss(c);
        if (own > best.cost || (own >= best.cost && c.load > 1 && 10 * c.load > best.tie)) break;
      }
      consider(call, c, best);
      if (best.candidate == &c) chosen = row.members[at];
    }
  }
  best.candidate = &candidates_[chosen];
  return best;
}

std::span<const NodeIndex> HarmPlacer::find(const Call& call, JobSlot slot) {
  const JobView& job = call.job(slot);
  if (job.flags.may_not_move && !job.nodes.empty()) return former_.find(call.state, job);
  if (!collect(call, job)) return {};

  own_counts_ = call.options.own_loss * job.cpu_need * job.tasks * weight_of(job, call.at);
  young_ = kYoung * std::max(job.virtual_time(call.at.now), short_job(call.options));
  ++mark_;
  own_share_ = 1;
  expected_ = false;
  nodes_.clear();
  for (std::uint32_t task = 0; task < job.tasks; ++task) {
    const Choice choice = rows_used_ == 0 ? choose(call) : choose_by_load(call, job);
    Candidate& best = *choice.candidate;
    nodes_.push_back(best.node);
    ++best.taken;
    best.load += best.step;
    best.others = -1;
    best.spare -= best.spare_step;
    if (!cpu_fits(best.load, 1)) {
      own_share_ = std::min(own_share_, 1 / best.load);
      count_residents(call, best.node);
    }
  }
  std::sort(nodes_.begin(), nodes_.end());
  return nodes_;
}

}  // namespace dfrs::triage
