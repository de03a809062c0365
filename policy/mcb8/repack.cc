// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/mcb8/repack.h"

#include <algorithm>

#include "policy/core/compare.h"
#include "policy/core/node_runs.h"

namespace dfrs {
namespace {

// Whether the job could run if it had the cluster to itself. A job whose nodes are down must not cause others to be
// left out.
bool could_run(const ClusterState& state, const JobView& job) {
  if (job.flags.may_not_move && !job.nodes.empty()) {
    const bool fit = all_node_runs(job.nodes, [&](NodeIndex n, std::uint32_t tasks) {
      return n < state.node_count() && state.room_alone(job, n) >= tasks;
    });
    return fit && job.nodes.size() == job.tasks;
  }
  const std::size_t nodes = state.node_count();
  if (state.homogeneous() && job.eligible == nullptr)
    return nodes != 0 && nodes * state.room_alone(job, 0) >= job.tasks;
  std::uint64_t room = 0;
  for (NodeIndex n = 0; n < nodes && room < job.tasks; ++n) room += state.room_alone(job, n);
  return room >= job.tasks;
}

}  // namespace

double yield_for_stretch(const JobView& job, Seconds now, Seconds period, double s) {
  const double yield = ((job.flow_time(now) + period) * s - job.virtual_time(now)) / period;
  return std::max(yield, kYieldAccuracy);
}

double Repack::max_yield(ClusterState& state, const ClusterView& view, const PriorityRule& rule,
                         const RemapLimit& limit) {
  collect(state, view, limit);
  if (ties_ != Ties::priority && same_as_last(state)) return last_.yield;
  last_.valid = false;
  const double yield =
      search(state, view, rule, kYieldAccuracy, kYieldAccuracy, [&](double y) { return packer_.pack_scaled(y); });
  if (yield < 0) return 0;
  last_.pinned.clear();
  for (const Packer::Item& item : items_) last_.pinned.push_back(item.pinned);
  last_.valid = left_out_.empty();
  last_.yield = yield;
  apply(state, view);
  explain(state, view, rule, {ReasonKind::repacked, kNoSlot, kNoSlot, yield});
  last_.version = state.version();
  return yield;
}

bool Repack::same_as_last(const ClusterState& state) const {
  if (!last_.valid || last_.version != state.version()) return false;
  // The same version means the same jobs, but some may no longer be pinned by the remap limit.
  for (std::size_t k = 0; k < items_.size(); ++k) {
    if (items_[k].pinned != last_.pinned[k]) return false;
  }
  return true;
}

double Repack::min_stretch(ClusterState& state, const ClusterView& view, const PriorityRule& rule,
                           const RemapLimit& limit, Seconds period, OutOfReach out_of_reach, double accuracy) {
  collect(state, view, limit);
  const double s = search(state, view, rule, 0.0, accuracy, [&](double target) {
    for (Packer::Item& item : items_) {
      if (item.excluded) continue;
      double yield = yield_for_stretch(*item.spec, view.now, period, target);
      if (cpu_exceeds(yield, 1.0)) {
        if (out_of_reach == OutOfReach::fails) return false;
        yield = 1;
      }
      item.cpu = item.spec->cpu_need * yield;
    }
    return packer_.pack();
  });
  if (s < 0) return -1;
  apply(state, view);
  explain(state, view, rule, {ReasonKind::repacked_stretch, kNoSlot, kNoSlot, s});
  return s;
}

void Repack::collect(const ClusterState& state, const ClusterView& view, const RemapLimit& limit) {
  items_.clear();
  left_out_.clear();
  ranked_ = false;
  for (JobSlot job : state.active()) {
    const JobView& spec = view.jobs[job];
    if (!state.placed(job) && !could_run(state, spec)) continue;
    Packer::Item item;
    item.job = job;
    item.spec = &spec;
    if (state.placed(job)) {
      // A job placed at this very instant counts as running, and keeps its nodes if it is below the limit's bound.
      item.pinned = spec.flags.may_not_move || limit.keeps(spec, view.now);
      if (item.pinned) item.nodes = state.nodes_of(job);
    } else if (spec.flags.may_not_move && !spec.nodes.empty()) {
      item.pinned = true;
      item.nodes = spec.nodes;
    }
    items_.push_back(item);
  }
  if (ties_ == Ties::newest) std::reverse(items_.begin(), items_.end());
}

template <typename Pack>
double Repack::search(const ClusterState& state, const ClusterView& view, const PriorityRule& rule, double lowest,
                      double accuracy, Pack&& pack) {
  if (items_.empty()) return -1;
  if (ties_ == Ties::priority) {
    std::sort(items_.begin(), items_.end(), [&](const Packer::Item& a, const Packer::Item& b) {
      return RankedJob::higher(rank(a.job, view, state, rule), rank(b.job, view, state, rule));
    });
  }
  packer_.prepare(state, items_);
  for (;;) {
    // The totals are a cheap necessary condition. In a burst they drop most jobs without a packing for each.
    while (!packer_.rigid_totals_fit()) {
      if (!drop_lowest(state, view, rule)) return -1;
    }
    if (left_out_.size() == items_.size()) return -1;
    if (pack(lowest)) break;
    if (!drop_lowest(state, view, rule)) return -1;
  }
  if (pack(1.0)) return 1.0;
  double feasible = lowest;
  double infeasible = 1.0;
  while (infeasible - feasible > accuracy) {
    const double middle = (feasible + infeasible) / 2;
    if (pack(middle)) {
      feasible = middle;
    } else {
      infeasible = middle;
    }
  }
  return feasible;
}

bool Repack::drop_lowest(const ClusterState& state, const ClusterView& view, const PriorityRule& rule) {
  const auto higher = [](const RankedItem& a, const RankedItem& b) { return RankedJob::higher(a.rank, b.rank); };
  if (!ranked_) {
    ranks_.clear();
    untried_.clear();
    for (std::uint32_t k = 0; k < items_.size(); ++k) {
      const Packer::Item& item = items_[k];
      if (item.spec->flags.may_not_pause && state.placed(item.job)) continue;
      const RankedJob ranked = rank(item.job, view, state, rule);
      if (ranked.priority == kNever) {
        untried_.push_back(k);
      } else {
        ranks_.push_back({ranked, k});
      }
    }
    std::make_heap(ranks_.begin(), ranks_.end(), higher);
    if (ties_ == Ties::newest) std::reverse(untried_.begin(), untried_.end());
    ranked_ = true;
  }
  std::uint32_t lowest = 0;
  if (!ranks_.empty()) {
    std::pop_heap(ranks_.begin(), ranks_.end(), higher);
    lowest = ranks_.back().item;
    ranks_.pop_back();
  } else if (!untried_.empty()) {
    lowest = untried_.back();
    untried_.pop_back();
  } else {
    return false;
  }
  left_out_.push_back(items_[lowest].job);
  packer_.exclude(lowest);
  return true;
}

void Repack::apply(ClusterState& state, const ClusterView& view) {
  packer_.lay_out();
  const auto stays = [&](const Packer::Item& item) {
    const std::span<const NodeIndex> old = state.nodes_of(item.job);
    const std::span<const NodeIndex> now = packer_.nodes_of(item);
    return std::equal(old.begin(), old.end(), now.begin(), now.end());
  };
  for (JobSlot job : left_out_) {
    if (state.placed(job)) state.remove(job, view.jobs[job]);
  }
  // All moving jobs leave before any arrives. A job that stays is not touched.
  std::erase_if(items_, [&](const Packer::Item& item) { return item.excluded || stays(item); });
  for (const Packer::Item& item : items_) {
    if (state.placed(item.job)) state.remove(item.job, *item.spec);
  }
  for (const Packer::Item& item : items_) state.place(item.job, *item.spec, packer_.nodes_of(item));
}

// `reason`: of the jobs that have got other nodes.
void Repack::explain(const ClusterState& state, const ClusterView& view, const PriorityRule& rule,
                     Reason reason) const {
  if (!state.explains()) return;
  for (const Packer::Item& item : items_) {  // those that stay are no longer among them
    reason.job = item.job;
    state.explain(reason);
  }
  for (JobSlot job : left_out_) {
    state.explain({ReasonKind::left_out, job, kNoSlot, priority(view.jobs[job], view.now, rule),
                   static_cast<double>(left_out_.size())});
  }
}

}  // namespace dfrs
