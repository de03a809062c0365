// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/yields.h"

#include "policy/triage/weights.h"

namespace dfrs::triage {

void Yields::solve(const ClusterView& view, const ClusterState& state) {
  sharing_.build(state, view);
  yields_.resize(sharing_.jobs().size());
  if (rule_ == TriageParts::Yields::urgent) {
    weights_.clear();
    for (const Sharing::Job& job : sharing_.jobs()) {
      weights_.push_back(yield_weight(view.jobs[job.slot], view.now, options_));
    }
    weighted_.solve(sharing_, weights_, yields_);
  } else {
    equal_.solve(sharing_, yields_);
  }
  shortage_ = 0;
  for (std::size_t k = 0; k < yields_.size(); ++k) {
    const JobView& job = view.jobs[sharing_.jobs()[k].slot];
    shortage_ += job.cpu_need * job.tasks * (1 - yields_[k]);
  }
}

Seconds Yields::next_level(const ClusterView& view) const {
  if (rule_ == TriageParts::Yields::equal) return kNever;
  Seconds next = kNever;
  for (std::size_t k = 0; k < yields_.size(); ++k) {
    const JobView& job = view.jobs[sharing_.jobs()[k].slot];
    const Seconds begin = job.state == JobState::running ? std::max(view.now, job.clock.since) : view.now;
    const Seconds flow = job.flow_time(view.now);
    const Seconds flow_level = triage::next_level(flow, options_);
    next = std::min(next, look_at(view.now + (flow_level - flow), flow_level, options_));
    const Seconds progress = job.virtual_time(view.now);
    const Seconds level = triage::next_level(progress, options_);
    next = std::min(next, look_at(begin + (level - progress) / yields_[k], level, options_));
  }
  return next;
}

}  // namespace dfrs::triage
