// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/local_moves.h"

#include <algorithm>
#include <utility>

namespace dfrs::triage {

namespace {
// Jobs with a yield of at least this are not worth a move.
constexpr double kFull = 0.999;
}  // namespace

bool LocalMoves::run(DecisionContext& context, Placer& placer, Yields& yields) {
  candidates_.clear();
  tried_.resize(context.view.jobs.size());
  const Seconds now = context.at.now;
  for (JobSlot slot : context.state.active()) {
    if (!context.state.placed(slot)) continue;
    const JobView& job = context.job(slot);
    const double yield = yields.of(slot);
    if (yield >= kFull || job.state != JobState::running || job.flags.may_not_move || job.clock.since > now) continue;
    if (job.pauses != Pauses::kept) continue;  // it would begin again
    if (!context.knows() && job.virtual_time(now) < rule_.progress) continue;
    if (context.knows() && time_left(job, context.at, context.run_time_of(slot)) < rule_.period) continue;
    const Tried& tried = tried_[slot];
    if (tried.id == job.id && job.virtual_time(now) < kTryAgain * tried.progress) continue;
    const auto at = static_cast<std::uint32_t>(candidates_.size());
    candidates_.push_back({static_cast<float>((1 - yield) * job.cpu_need * job.tasks), at, slot});
  }
  const std::size_t most = std::min(candidates_.size(), rule_.most);
  std::partial_sort(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(most), candidates_.end(),
                    Candidate::before);
  candidates_.resize(most);

  bool moved = false;
  for (const Candidate& candidate : candidates_) {
    const JobSlot slot = candidate.job;
    const JobView& job = context.job(slot);
    old_nodes_.assign(context.state.nodes_of(slot).begin(), context.state.nodes_of(slot).end());
    context.remove(slot);
    const std::span<const NodeIndex> found = placer.find(context, slot, 0);
    bool keep = !found.empty() && !std::equal(found.begin(), found.end(), old_nodes_.begin(), old_nodes_.end());
    if (keep) {
      context.place(slot, found);
      // A job whose run time is not known is expected to run for about as long again as it has run.
      const Seconds lasts =
          context.knows() ? time_left(job, context.at, context.run_time_of(slot)) : job.virtual_time(now);
      const double price = rule_.gain * expected_move_penalty(job, context.options) * job.cpu_need * job.tasks;
      keep = yields.move_pays(context.view, context.state, context.residents, slot, old_nodes_, lasts, price);
      if (!keep) context.remove(slot);
    }
    if (keep) {
      yields.keep_move(context.view, context.state);
      moved = true;
      tried_[slot] = {};
    } else {
      tried_[slot] = {job.id, job.virtual_time(now)};
      context.place(slot, old_nodes_);
    }
  }
  return moved;
}

}  // namespace dfrs::triage
