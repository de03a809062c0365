// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/yields.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "policy/compare.h"
#include "policy/triage/weights.h"

namespace dfrs::triage {

namespace {
// Where a move changes something on more than one of so many nodes, all yields are found anew at less cost.
constexpr std::size_t kMuch = 16;
}  // namespace

void Yields::begin(const ClusterView& view, std::span<const Event> events, const ClusterState& state, double heaviest) {
  heaviest_ = heaviest;
  const std::size_t slots = view.jobs.size();
  yield_.resize(slots, 1.0);
  look_.resize(slots, kNever);
  watch_.resize(slots);
  limited_.resize(slots, 0);
  set_.clear();
  kept_holds_ = false;
  tried_ = Tried::no;
  changed_.assign(state.changed_nodes().begin(), state.changed_nodes().end());
  afresh_ =
      afresh_ || std::any_of(events.begin(), events.end(), [](const Event& e) { return e.kind == EventKind::resync; });
  if (!afresh_) return;
  overloaded_.assign(state.node_count(), 0);
  all_cpu_ = 0;
  for (NodeIndex n = 0; n < state.node_count(); ++n) all_cpu_ += state.cpu_capacity(n);
}

void Yields::update(const ClusterView& view, const ClusterState& state, const Residents& residents) {
  begin_part(state);
  if (afresh_) {
    for (JobSlot job : state.active()) {
      if (state.placed(job)) trial().tied.reach(job);
    }
    for (NodeIndex n = 0; n < state.node_count(); ++n) seeds_.push_back(n);
    afresh_ = false;
  } else {
    for (JobSlot job : state.touched()) {
      const std::span<const NodeIndex> before = state.nodes_before(job);
      const std::span<const NodeIndex> now = state.nodes_of(job);
      if (std::equal(before.begin(), before.end(), now.begin(), now.end())) continue;
      changed_.insert(changed_.end(), before.begin(), before.end());
      changed_.insert(changed_.end(), now.begin(), now.end());
      if (state.placed(job)) trial().tied.reach(job);
    }
    std::sort(changed_.begin(), changed_.end());
    changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
    for (NodeIndex n : changed_) seed_node(n, state, residents);
    // Of those who are tied to a change weights are looked at anyway.
    trial().tied.follow(state, [&](NodeIndex n) { return residents.on(n); });
    for (JobSlot job : state.active()) {
      if (look_[job] > view.now || trial().tied.reached(job) || !state.placed(job)) continue;
      if (look_due(job, view.now)) trial().tied.reach(job);
    }
  }
  solve(view, state, residents);
  keep(view, state);
}

void Yields::begin_part(const ClusterState& state) {
  seeds_.clear();
  trial().tied.begin(yield_.size(), state.node_count());
}

// Where there is and was enough for all nobody is limited.
void Yields::seed_node(NodeIndex n, const ClusterState& state, const Residents& residents) {
  seeds_.push_back(n);
  if (overloaded_[n] == 0 && !overloaded(state, n)) return;
  for (JobSlot job : residents.on(n)) trial().tied.reach(job);
}

void Yields::solve(const ClusterView& view, const ClusterState& state, const Residents& residents) {
  trial().tied.follow(state, [&](NodeIndex n) { return residents.on(n); });
  trial().tied.sort(state);
  trial().sharing.build(state, view, trial().tied.nodes(), trial().tied.jobs());
  trial().yields.resize(trial().sharing.jobs().size());
  if (rule_ == TriageParts::Yields::equal) {
    trial().equal.solve(trial().sharing, trial().yields);
    return;
  }
  trial().weights.clear();
  for (const Sharing::Job& job : trial().sharing.jobs()) {
    trial().weights.push_back(yield_weight(view.jobs[job.slot], {view.now, heaviest_}, options_));
  }
  trial().weighted.solve(trial().sharing, trial().weights, trial().yields);
}

void Yields::keep(const ClusterView& view, const ClusterState& state) {
  for (NodeIndex n : seeds_) overloaded_[n] = overloaded(state, n) ? 1 : 0;
  std::size_t limited = 0;  // sharing.jobs() is a subsequence of tied.jobs()
  for (JobSlot job : trial().tied.jobs()) {
    const bool is_limited = limited < trial().yields.size() && trial().sharing.jobs()[limited].slot == job;
    set(view, job, is_limited ? trial().yields[limited++] : 1, is_limited);
  }
  kept_at_ = 1 - kept_at_;
  kept_holds_ = true;
}

void Yields::set(const ClusterView& view, JobSlot job, double yield, bool limited) {
  yield_[job] = yield;
  limited_[job] = limited ? 1 : 0;
  if (limited && rule_ == TriageParts::Yields::urgent) {
    watch_[job] = WeightWatch(view.jobs[job], {view.now, heaviest_}, yield, options_);
  } else {
    watch_[job] = WeightWatch();
  }
  look_[job] = watch_[job].at_least();
  set_.push_back(job);
}

bool Yields::move_pays(const ClusterView& view, const ClusterState& state, const Residents& residents, JobSlot job,
                       std::span<const NodeIndex> old_nodes, Seconds lasts, double price) {
  if (tried_ != Tried::no) after_trial(state);
  begin_part(state);
  std::uint32_t index = 0;
  if (!can_follow(state, job, old_nodes, index)) {
    return solved_move_pays(view, state, residents, job, old_nodes, lasts, price);
  }
  double gain = 0;
  double magnitude = 0;
  if (!follow(view, state, index, gain, magnitude)) return false;
  // What solved_move_pays() would find: its two sums are over all who are tied, none above all the CPU there is, and
  // what they are rounded by is less than this. Where it matters it is asked.
  const double rounding = 4 * std::numeric_limits<double>::epsilon() * static_cast<double>(state.active().size() + 2) *
                          (all_cpu_ + magnitude);
  if ((gain + rounding) * lasts <= price) return false;
  const bool more_than_rounding = gain - rounding > 2 * kQualityTolerance * all_cpu_;
  const double sure = (gain - rounding) * lasts * (1 - 2 * kQualityTolerance);
  if (more_than_rounding && sure > price) return true;
  return solved_move_pays(view, state, residents, job, old_nodes, lasts, price);
}

// The CPU gained, and the sum of what each gains or loses. False if nothing changes.
bool Yields::follow(const ClusterView& view, const ClusterState& state, std::uint32_t moved, double& gain,
                    double& magnitude) {
  Part& part = kept();
  part.sharing.move(state, view, moved);
  bool any = false;
  const auto count = [&](std::uint32_t job, double before, double after) {
    if (before == after) return;
    const JobView& other = view.jobs[part.sharing.jobs()[job].slot];
    const double more = other.cpu_need * other.tasks * (after - before);
    gain += more;
    magnitude += std::abs(more);
    any = true;
  };
  if (part.weighted.follow_move(part.sharing, part.weights, part.yields, part.sharing.nodes().size() / kMuch)) {
    tried_ = Tried::followed;
    for (const WeightedMaxMinYield::Change& change : part.weighted.changes()) {
      count(change.job, change.before, part.yields[change.job]);
    }
  } else {
    tried_ = Tried::found_anew;
    trial().yields.resize(part.yields.size());
    trial().weighted.solve(part.sharing, part.weights, trial().yields);
    for (std::uint32_t job = 0; job < part.yields.size(); ++job) count(job, part.yields[job], trial().yields[job]);
  }
  return any;
}

// Yields that are known for everybody at this instant, and a move between nodes that were and are overloaded, but for
// those that were and are not.
bool Yields::can_follow(const ClusterState& state, JobSlot job, std::span<const NodeIndex> old_nodes,
                        std::uint32_t& index) {
  if (!kept_holds_ || rule_ == TriageParts::Yields::equal) return false;
  const std::span<const Sharing::Job> jobs = kept().sharing.jobs();
  const auto at = std::partition_point(
      jobs.begin(), jobs.end(), [&](const Sharing::Job& other) { return state.order(other.slot) < state.order(job); });
  if (at == jobs.end() || at->slot != job) return false;
  index = static_cast<std::uint32_t>(at - jobs.begin());
  each_node(old_nodes, [&](NodeIndex n) { seeds_.push_back(n); });
  each_node(state.nodes_of(job), [&](NodeIndex n) { seeds_.push_back(n); });
  return std::all_of(seeds_.begin(), seeds_.end(),
                     [&](NodeIndex n) { return overloaded(state, n) == kept().sharing.has(n); });
}

// The move that was tried has been undone: so far as loads are the same up to rounding.
void Yields::after_trial(const ClusterState& state) {
  unfollow();
  kept_holds_ = kept_holds_ && std::all_of(seeds_.begin(), seeds_.end(),
                                           [&](NodeIndex n) { return overloaded(state, n) == kept().sharing.has(n); });
}

void Yields::unfollow() {
  if (tried_ == Tried::followed) kept().weighted.move_back(kept().yields);
  if (tried_ == Tried::followed || tried_ == Tried::found_anew) kept().sharing.move_back();
  tried_ = Tried::no;
}

bool Yields::solved_move_pays(const ClusterView& view, const ClusterState& state, const Residents& residents,
                              JobSlot job, std::span<const NodeIndex> old_nodes, Seconds lasts, double price) {
  unfollow();
  tried_ = Tried::solved;
  begin_part(state);
  trial().tied.reach(job);
  each_node(old_nodes, [&](NodeIndex n) { seed_node(n, state, residents); });
  each_node(state.nodes_of(job), [&](NodeIndex n) { seed_node(n, state, residents); });
  solve(view, state, residents);
  double before = 0;
  double after = 0;
  std::size_t limited = 0;
  for (JobSlot other : trial().tied.jobs()) {
    double yield = 1;
    if (limited < trial().yields.size() && trial().sharing.jobs()[limited].slot == other)
      yield = trial().yields[limited++];
    const double need = view.jobs[other].cpu_need * view.jobs[other].tasks;
    before += need * yield_[other];
    after += need * yield;
  }
  const double gained = (before < after && same_quality(before, after) ? 0 : after - before) * lasts;
  return gained > price && !same_quality(price, gained);
}

void Yields::keep_move(const ClusterView& view, const ClusterState& state) {
  changed_.insert(changed_.end(), seeds_.begin(), seeds_.end());
  if (tried_ == Tried::solved) {
    keep(view, state);
  } else {
    keep_followed(view, state);
  }
  tried_ = Tried::no;
}

void Yields::keep_followed(const ClusterView& view, const ClusterState& state) {
  for (NodeIndex n : seeds_) overloaded_[n] = overloaded(state, n) ? 1 : 0;
  const std::span<const Sharing::Job> jobs = kept().sharing.jobs();
  const std::uint32_t moved = kept().sharing.moved();
  if (tried_ == Tried::followed) {
    for (const WeightedMaxMinYield::Change& change : kept().weighted.changes()) {
      set(view, jobs[change.job].slot, kept().yields[change.job], true);
    }
  } else {
    std::swap(kept().weighted, trial().weighted);
    std::swap(kept().yields, trial().yields);
    for (std::uint32_t job = 0; job < jobs.size(); ++job) {
      if (kept().yields[job] != trial().yields[job]) set(view, jobs[job].slot, kept().yields[job], true);
    }
  }
  set(view, jobs[moved].slot, kept().yields[moved], jobs[moved].count != 0);
}

bool Yields::anyone_limited(const ClusterState& state) const {
  return std::any_of(state.active().begin(), state.active().end(),
                     [&](JobSlot job) { return limited_[job] != 0 && state.placed(job); });
}

// Whether the weight is to be looked at by then.
bool Yields::look_due(JobSlot job, Seconds until) {
  WeightWatch& watch = watch_[job];
  while (!watch.known() && watch.at_least() <= until) watch.step(options_);
  look_[job] = watch.at_least();
  return look_[job] <= until;
}

Seconds Yields::next_look(const ClusterState& state) {
  Seconds next = kNever;
  for (JobSlot job : state.active()) {
    if (look_[job] < next && state.placed(job) && look_due(job, next)) next = look_[job];
  }
  return next;
}

void Yields::name(const ClusterView& view, const ClusterState& state, Outcome& outcome) {
  std::sort(set_.begin(), set_.end(), [&](JobSlot a, JobSlot b) { return state.order(a) < state.order(b); });
  set_.erase(std::unique(set_.begin(), set_.end()), set_.end());
  for (JobSlot job : set_) {
    if (!state.placed(job)) continue;
    const JobView& spec = view.jobs[job];
    const std::span<const NodeIndex> before = state.nodes_before(job);
    const std::span<const NodeIndex> now = state.nodes_of(job);
    const bool stayed =
        spec.state == JobState::running && std::equal(before.begin(), before.end(), now.begin(), now.end());
    if (!stayed || yield_[job] != spec.yield) outcome.yields->push_back({job, yield_[job]});
  }
}

}  // namespace dfrs::triage
