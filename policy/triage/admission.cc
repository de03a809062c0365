// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/admission.h"

#include <algorithm>

#include "policy/triage/urgency.h"

namespace dfrs::triage {

bool Admission::run(const ClusterView& view, ClusterState& state, Placer& placer, const TriageOptions& options) {
  put_out_.clear();
  bool changed = false;
  for (int k = 0; k < kMaxRounds; ++k) {
    bool paused = false;
    if (round(view, state, placer, options, paused)) changed = true;
    if (!paused) break;
  }
  shortest_wait_ = kNever;
  for (JobSlot job : state.active()) {
    if (!state.placed(job)) shortest_wait_ = std::min(shortest_wait_, view.jobs[job].flow_time(view.now));
  }
  return changed;
}

bool Admission::round(const ClusterView& view, ClusterState& state, Placer& placer, const TriageOptions& options,
                      bool& paused) {
  waiting_.clear();
  for (JobSlot job : state.active()) {
    if (!state.placed(job)) waiting_.push_back({urgency(view.jobs[job], view.now, options), state.order(job), job});
  }
  std::sort(waiting_.begin(), waiting_.end(),
            [](const Ranked& a, const Ranked& b) { return a.key != b.key ? a.key > b.key : a.order < b.order; });
  refused_.clear();
  victims_known_ = false;
  bool changed = false;
  for (const Ranked& job : waiting_) {
    const JobView& spec = view.jobs[job.job];
    if (!known_too_big(spec)) {
      if (place(view, state, placer, job.job)) {
        changed = true;
        victims_known_ = false;
        continue;
      }
      remember_refused(spec);
    }
    if (std::find(put_out_.begin(), put_out_.end(), job.job) != put_out_.end()) continue;
    if (make_room(view, state, placer, job, options)) {
      changed = paused = true;
      refused_.clear();
      victims_known_ = false;
    }
  }
  return changed;
}

bool Admission::place(const ClusterView& view, ClusterState& state, Placer& placer, JobSlot job) {
  const std::span<const NodeIndex> nodes = placer.find(view, state, job);
  if (nodes.empty()) return false;
  state.place(job, view.jobs[job], nodes);
  placer.placed(view, state, job);
  return true;
}

bool Admission::make_room(const ClusterView& view, ClusterState& state, Placer& placer, const Ranked& incoming,
                          const TriageOptions& options) {
  if (!victims_known_) collect_victims(view, state, options);
  const JobView& job = view.jobs[incoming.job];
  const double least = incoming.key / margin(job, options);
  if (victims_.empty() || !(victims_.front().key < least)) return false;

  count_room(state, job);
  marked_.clear();
  for (const Ranked& victim : victims_) {
    if (room_total_ >= job.tasks || !(victim.key < least)) break;
    if (old_nodes_.size() <= marked_.size()) old_nodes_.emplace_back();
    std::vector<NodeIndex>& old = old_nodes_[marked_.size()];
    old.assign(state.nodes_of(victim.job).begin(), state.nodes_of(victim.job).end());
    state.remove(victim.job, view.jobs[victim.job]);
    recount(state, job, old);
    marked_.push_back(victim.job);
  }
  const bool fits = room_total_ >= job.tasks;
  std::size_t gone = 0;
  for (std::size_t k = marked_.size(); k-- > 0;) {
    const JobView& victim = view.jobs[marked_[k]];
    state.place(marked_[k], victim, old_nodes_[k]);
    if (!fits) continue;
    recount(state, job, old_nodes_[k]);
    if (room_total_ >= job.tasks) continue;
    state.remove(marked_[k], victim);
    recount(state, job, old_nodes_[k]);
    placer.removed(marked_[k], old_nodes_[k]);
    put_out_.push_back(marked_[k]);
    ++gone;
  }
  return fits && gone != 0 && place(view, state, placer, incoming.job);
}

void Admission::collect_victims(const ClusterView& view, const ClusterState& state, const TriageOptions& options) {
  victims_.clear();
  for (JobSlot job : state.active()) {
    if (!state.placed(job) || view.jobs[job].flags.may_not_pause) continue;
    victims_.push_back({pause_cost(view.jobs[job], view.now, options), state.order(job), job});
  }
  // Of equal cost the later submission goes first.
  std::sort(victims_.begin(), victims_.end(),
            [](const Ranked& a, const Ranked& b) { return a.key != b.key ? a.key < b.key : a.order > b.order; });
  victims_known_ = true;
}

// Jobs of their own nodes (eligible, or bound to those they had) say nothing about others, and others nothing of them.
bool Admission::known_too_big(const JobView& job) const {
  if (job.eligible != nullptr || job.flags.may_not_move) return false;
  return std::any_of(refused_.begin(), refused_.end(), [&](const Refused& r) {
    if (job.tasks < r.tasks || (r.exclusive && !job.flags.exclusive)) return false;
    for (std::size_t d = 0; d < kMaxRigid; ++d) {
      if (job.rigid[d] < r.rigid[d]) return false;
    }
    return true;
  });
}

void Admission::remember_refused(const JobView& job) {
  if (job.eligible != nullptr || job.flags.may_not_move) return;
  refused_.push_back({job.rigid, job.tasks, job.flags.exclusive});
}

// A job that is bound to the nodes it had finds room there alone, and no more than it had.
std::uint32_t Admission::room_at(const ClusterState& state, const JobView& job, NodeIndex n) {
  const std::uint32_t room = state.room_for(job, n);
  if (room == 0 || !job.flags.may_not_move || job.nodes.empty()) return room;
  const auto [first, last] = std::equal_range(job.nodes.begin(), job.nodes.end(), n);
  return std::min(room, static_cast<std::uint32_t>(last - first));
}

void Admission::count_room(const ClusterState& state, const JobView& job) {
  room_.resize(state.node_count());
  room_total_ = 0;
  for (NodeIndex n = 0; n < room_.size(); ++n) room_total_ += room_[n] = room_at(state, job, n);
}

void Admission::recount(const ClusterState& state, const JobView& job, std::span<const NodeIndex> nodes) {
  for (NodeIndex n : nodes) {
    room_total_ -= room_[n];
    room_total_ += room_[n] = room_at(state, job, n);
  }
}

}  // namespace dfrs::triage
