// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/resident_losses.h"

#include <algorithm>

namespace dfrs::triage {

void ResidentLosses::begin(const DecisionContext& context, bool told) {
  ++call_;
  residents_known_ = false;
  told_ = told;
  placed_seen_ = 0;
  loads_.reset(told ? context.state.node_count() : 0);
  seen_.resize(told ? context.state.node_count() : 0);
  expected_at_ = 0;
  residents_.resize(context.view.jobs.size());
  if (changed_.size() != context.state.node_count()) {
    tables_ = {};
    others_.reset(context.state.node_count());
  }
  changed_.resize(context.state.node_count());
  tied_.resize(context.state.node_count());
}

void ResidentLosses::prepare(const DecisionContext& context) {
  ++search_;
  const bool first = !residents_known_;
  if (first) know_residents(context);
  if (told_ && !first) {
    expect_changed_yields(context);
  } else if (expected_at_ != context.state.version()) {
    expect_yields(context);
  }
  loads_.clear();
  expected_at_ = context.state.version();
  table_ = &table_of(cpu_need_, context.state.node_count());
  table_->used = search_;
  ready_ = true;
}

ResidentLosses::Table& ResidentLosses::table_of(double cpu_need, std::size_t nodes) {
  Table* oldest = tables_.data();
  for (Table& table : tables_) {
    if (table.cpu_need == cpu_need && table.known.size() == nodes) return table;
    if (table.used < oldest->used) oldest = &table;
  }
  oldest->cpu_need = cpu_need;
  oldest->known.assign(nodes, {});
  return *oldest;
}

void ResidentLosses::set_yield(const DecisionContext& context, JobSlot slot, double yield) {
  if (residents_[slot].yield == yield) return;
  residents_[slot].yield = yield;
  change_nodes_of(context, slot);
}

void ResidentLosses::change_nodes_of(const DecisionContext& context, JobSlot slot) {
  each_node(context.state.nodes_of(slot), [&](NodeIndex n) {
    ++changed_[n];
    others_.add(n);
  });
}

// Copies, once per call that needs it, the few facts that are read many times and in no particular order. They are far
// smaller than the views.
void ResidentLosses::know_residents(const DecisionContext& context) {
  residents_known_ = true;
  for (JobSlot slot : context.state.active()) {
    const JobView& job = context.job(slot);
    set_yield(context, slot, job.yield);
    const double counts = weight_of(job, context.at) * job.cpu_need * job.tasks;
    if (residents_[slot].counts == counts) continue;
    residents_[slot].counts = counts;
    change_nodes_of(context, slot);
  }
}

// Estimates the yields of jobs placed in this call: they share their nodes equally with the jobs there. The yields of
// all other jobs are known.
void ResidentLosses::expect_yields(const DecisionContext& context) {
  for (JobSlot slot : context.residents.placed_now()) {
    if (context.state.placed(slot)) expect_yield(context, slot);
  }
}

// The same, where only jobs on nodes whose load has changed can have another yield.
void ResidentLosses::expect_changed_yields(const DecisionContext& context) {
  const std::span<const JobSlot> placed = context.residents.placed_now();
  for (; placed_seen_ < placed.size(); ++placed_seen_) residents_[placed[placed_seen_]].placed = call_;
  for (NodeIndex n : loads_.nodes()) {
    // Most are where jobs were tried as victims, and stay.
    const Seen now{context.state.cpu_load(n), context.residents.changes(n)};
    if (seen_[n] == now) continue;
    seen_[n] = now;
    for (JobSlot slot : context.residents.on(n)) {
      Resident& resident = residents_[slot];
      if (resident.placed != call_ || resident.expected == search_) continue;
      resident.expected = search_;
      expect_yield(context, slot);
    }
  }
}

void ResidentLosses::expect_yield(const DecisionContext& context, JobSlot slot) {
  double yield = context.job(slot).yield;
  if (!context.stayed(slot)) {
    yield = 1;
    each_node(context.state.nodes_of(slot),
              [&](NodeIndex n) { yield = std::min(yield, context.state.cpu_capacity(n) / context.state.cpu_load(n)); });
  }
  set_yield(context, slot, yield);
}

ResidentLosses::Loss ResidentLosses::at(const DecisionContext& context, NodeIndex n, double share, double own,
                                        double most) {
  settle(context);
  Known& known = table_->known[n];
  const bool tied = tied_[n] == search_;
  const std::uint64_t now = version(context, n);
  if (!tied && known.share == share && known.version == now && (known.whole || own + known.loss > most)) {
    return {known.loss, known.whole && !(own + known.loss > most)};
  }
  double loss = 0;
  bool whole = true;
  for (JobSlot r : context.residents.on(n)) {
    const Resident& resident = residents_[r];
    if (resident.yield <= share || resident.counted == search_) continue;
    loss += resident.counts * (resident.yield - share);
    if (own + loss > most) {
      whole = false;
      break;
    }
  }
  if (!tied) known = {share, loss, now, whole};
  return {loss, whole};
}

}  // namespace dfrs::triage
