// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/harm_placer.h"

#include <algorithm>

#include "policy/compare.h"
#include "policy/triage/urgency.h"

namespace dfrs::triage {

namespace {
constexpr NodeIndex kNoNode = ~NodeIndex{0};
}  // namespace

void HarmPlacer::begin(const ClusterView&, const ClusterState&) { built_ = false; }

// Residents are gathered when the first task has to share a node: most calls never come to that.
void HarmPlacer::build(const ClusterView& view, const ClusterState& state) {
  residents_.resize(state.node_count());
  for (std::vector<JobSlot>& there : residents_) there.clear();
  marked_.resize(view.jobs.size(), 0);
  yield_.resize(view.jobs.size());
  fresh_.clear();
  for (JobSlot slot : state.active()) {  // in submission order
    if (!state.placed(slot)) continue;
    note_yield(view, state, slot);
    NodeIndex last = kNoNode;
    for (NodeIndex n : state.nodes_of(slot)) {
      if (n != last) residents_[n].push_back(slot);
      last = n;
    }
  }
  built_ = true;
}

void HarmPlacer::note_yield(const ClusterView& view, const ClusterState& state, JobSlot slot) {
  const JobView& job = view.jobs[slot];
  const std::span<const NodeIndex> nodes = state.nodes_of(slot);
  const bool stays = std::equal(nodes.begin(), nodes.end(), job.nodes.begin(), job.nodes.end());
  if (job.state == JobState::running && job.yield > 0 && stays) {
    yield_[slot] = job.yield;
  } else {
    fresh_.push_back(slot);
  }
}

void HarmPlacer::share_equally(const ClusterState& state) {
  for (JobSlot slot : fresh_) {
    double yield = 1;
    for (NodeIndex n : state.nodes_of(slot)) yield = std::min(yield, state.cpu_capacity(n) / state.cpu_load(n));
    yield_[slot] = yield;
  }
}

void HarmPlacer::placed(const ClusterView& view, const ClusterState& state, JobSlot slot) {
  if (!built_) return;
  note_yield(view, state, slot);
  NodeIndex last = kNoNode;
  for (NodeIndex n : state.nodes_of(slot)) {
    if (n == last) continue;
    last = n;
    std::vector<JobSlot>& there = residents_[n];
    there.insert(std::find_if(there.begin(), there.end(), [&](JobSlot r) { return state.order(r) > state.order(slot); }),
                 slot);
  }
}

void HarmPlacer::removed(JobSlot slot, std::span<const NodeIndex> nodes) {
  if (!built_) return;
  std::erase(fresh_, slot);
  NodeIndex last = kNoNode;
  for (NodeIndex n : nodes) {
    if (n != last) std::erase(residents_[n], slot);
    last = n;
  }
}

// Of equal harm: the fullest node that has CPU left, so that whole nodes stay free for wide jobs; where none has, the
// least loaded. Then the one with the least memory left over.
double HarmPlacer::tie(const Candidate& c) { return (c.load > 1 ? 10 * c.load : -10 * c.load) + c.spare; }

double HarmPlacer::harm(const ClusterView& view, const Candidate& c, const JobView& job, double own_share,
                        double enough) const {
  const double share = 1 / (c.load + c.step);
  double cost = options_.own_loss * std::max(0.0, own_share - share) * total_need_ * job.weight;
  for (JobSlot r : residents_[c.node]) {
    if (cost > enough) break;
    if (yield_[r] <= share || marked_[r] == mark_) continue;
    const JobView& other = view.jobs[r];
    const double weight = other.weight * (other.virtual_time(view.now) < young_ ? options_.young_loss : 1.0);
    cost += weight * other.cpu_need * other.tasks * (yield_[r] - share);
  }
  return cost;
}

std::span<const NodeIndex> HarmPlacer::find(const ClusterView& view, const ClusterState& state, JobSlot slot) {
  const JobView& job = view.jobs[slot];
  if (job.flags.may_not_move && !job.nodes.empty()) return former_.find(state, job);

  candidates_.clear();
  std::uint64_t room_total = 0;
  const auto count = static_cast<NodeIndex>(state.node_count());
  for (NodeIndex n = 0; n < count; ++n) {
    const std::uint32_t room = state.room_for(job, n);
    if (room == 0) continue;
    room_total += room;
    const double capacity = state.cpu_capacity(n);
    Candidate c{n, room, 0, state.cpu_load(n) / capacity, job.cpu_need / capacity, 0, 0};
    for (std::size_t d = 0; d < state.rigid_dims(); ++d) {
      const auto whole = static_cast<double>(state.rigid_capacity(n)[d]);
      if (!(whole > 0)) continue;
      c.spare += static_cast<double>(state.rigid_free(n)[d]) / whole;
      c.spare_step += static_cast<double>(job.rigid[d]) / whole;
    }
    candidates_.push_back(c);
  }
  if (room_total < job.tasks) return {};

  total_need_ = job.cpu_need * job.tasks;
  young_ = kYoung * std::max(job.virtual_time(view.now), short_job(options_));
  ++mark_;
  double own_share = 1;
  bool shared = false;  // whether a node with too little CPU has been looked at
  nodes_.clear();
  for (std::uint32_t task = 0; task < job.tasks; ++task) {
    Candidate* best = nullptr;
    double best_cost = 0;
    double best_tie = 0;
    for (Candidate& c : candidates_) {
      if (c.taken == c.room) continue;
      const double tied = tie(c);
      if (best != nullptr && best_cost <= 0 && tied >= best_tie) continue;  // no cost is below 0
      double cost = 0;
      if (!cpu_fits(c.load + c.step, 1)) {
        if (!shared) {
          if (!built_) build(view, state);
          share_equally(state);
          shared = true;
        }
        cost = harm(view, c, job, own_share, best != nullptr ? best_cost : kNever);
      }
      if (best == nullptr || cost < best_cost || (cost == best_cost && tied < best_tie)) {
        best = &c, best_cost = cost, best_tie = tied;
      }
    }
    nodes_.push_back(best->node);
    ++best->taken;
    best->load += best->step;
    best->spare -= best->spare_step;
    if (!cpu_fits(best->load, 1)) {
      own_share = std::min(own_share, 1 / best->load);
      for (JobSlot r : residents_[best->node]) marked_[r] = mark_;
    }
  }
  std::sort(nodes_.begin(), nodes_.end());
  return nodes_;
}

}  // namespace dfrs::triage
