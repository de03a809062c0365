// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/local_moves.h"

#include <algorithm>
#include <utility>

#include "policy/compare.h"

namespace dfrs::triage {

namespace {
// A yield above this is not worth a move.
constexpr double kFull = 0.999;
}  // namespace

bool LocalMoves::run(const ClusterView& view, ClusterState& state, Placer& placer, const TriageOptions& options,
                     Yields& yields) {
  candidates_.clear();
  tried_.resize(view.jobs.size());
  for (std::size_t k = 0; k < yields.limited().size(); ++k) {
    const JobSlot slot = yields.sharing().jobs()[k].slot;
    const JobView& job = view.jobs[slot];
    const double yield = yields.limited()[k];
    if (job.state != JobState::running || job.flags.may_not_move || job.clock.since > view.now) continue;
    if (job.virtual_time(view.now) < rule_.progress || yield >= kFull) continue;
    const Tried& tried = tried_[slot];
    if (tried.id == job.id && job.virtual_time(view.now) < kTryAgain * tried.progress) continue;
    candidates_.push_back({static_cast<float>((1 - yield) * job.cpu_need * job.tasks), slot});
  }
  std::stable_sort(candidates_.begin(), candidates_.end(),
                   [](const Candidate& a, const Candidate& b) { return a.lack > b.lack; });

  bool moved = false;
  int tried = 0;
  for (const Candidate& candidate : candidates_) {
    if (tried++ == rule_.most) break;
    const JobSlot slot = candidate.job;
    const JobView& job = view.jobs[slot];
    old_nodes_.assign(state.nodes_of(slot).begin(), state.nodes_of(slot).end());
    state.remove(slot, job);
    placer.removed(slot, old_nodes_);
    const std::span<const NodeIndex> found = placer.find(view, state, slot);
    new_nodes_.assign(found.begin(), found.end());
    bool keep = !new_nodes_.empty() && new_nodes_ != old_nodes_;
    if (keep) {
      state.place(slot, job, new_nodes_);
      trial_.solve(view, state);
      const double gained = (yields.shortage() - trial_.shortage()) * job.virtual_time(view.now);
      const double price = rule_.gain * expected_move_penalty(job, options) * job.cpu_need * job.tasks;
      keep = gained > price && !same_quality(price, gained);
      if (!keep) state.remove(slot, job);
    }
    if (keep) {
      std::swap(yields, trial_);
      moved = true;
      tried_[slot] = {};
    } else {
      tried_[slot] = {job.id, job.virtual_time(view.now)};
      state.place(slot, job, old_nodes_);
    }
    placer.placed(view, state, slot);
  }
  return moved;
}

}  // namespace dfrs::triage
