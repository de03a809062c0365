// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/memory_shares.h"

#include <algorithm>

namespace dfrs::triage {

void MemoryShares::count(const DecisionContext& context) {
  const std::span<const JobSlot> active = context.state.active();
  matter_ =
      std::any_of(active.begin(), active.end(), [&](JobSlot job) { return context.job(job).pauses != Pauses::kept; });
  if (!matter_) return;
  whole_ = 0;
  for (NodeIndex n = 0; n < context.state.node_count(); ++n) {
    whole_ += static_cast<double>(context.state.rigid_capacity(n)[kMemory]);
  }
  held_ = 0;
  by_user_.clear();
  by_kind_.clear();
  several_users_ = false;
  all_stay_ =
      std::all_of(active.begin(), active.end(), [&](JobSlot job) { return context.job(job).pauses == Pauses::none; });
  for (JobSlot slot : active) {
    const JobView& job = context.job(slot);
    if (job.user != context.job(active.front()).user) several_users_ = true;
    if (context.state.placed(slot)) add(job);
  }
}

void MemoryShares::add(const JobView& job) {
  if (job.pauses == Pauses::kept) return;
  held_ += size(job);
  if (job.user == 0) return;
  by_user_[job.user] += size(job);
  by_kind_[kind(job)] += size(job);
}

void MemoryShares::placed(const DecisionContext& context, JobSlot slot) {
  const JobView& job = context.job(slot);
  if (job.pauses == Pauses::kept) return;
  add(job);
  if (job.user != 0) last_start_[job.user] = context.at.now;
}

double MemoryShares::urgency_by_share(const DecisionContext& context, JobSlot slot) const {
  const JobView& job = context.job(slot);
  double urgent = context.urgency(slot);
  if (!matter_ || job.pauses == Pauses::kept || context.knows()) return urgent;
  if (!context.limit.empty() && all_stay_) {
    urgent *= short_job(context.options) / std::max(context.limit[slot], short_job(context.options));
  }
  const auto held = by_kind_.find(kind(job));
  if (held == by_kind_.end() || !(whole_ > 0)) return urgent;
  return urgent / (1 + context.options.crowd * (held->second / whole_));
}

bool MemoryShares::may_start(const DecisionContext& context, JobSlot slot) const {
  const JobView& job = context.job(slot);
  if (!matter_ || !several_users_ || job.pauses != Pauses::none || context.knows()) return true;
  if (job.user == 0 || !by_kind_.contains(kind(job))) return true;
  if (!context.limit.empty() && context.limit[slot] <= kBriefLimit * context.options.time_scale) return true;
  const double user = by_user_.at(job.user);
  const double more = size(job);
  if (user + more <= context.options.share * (kDividedMemory * whole_ - held_ - more)) return true;
  if (more > kProbePart * (whole_ - held_)) return false;
  const auto last = last_start_.find(job.user);
  const Seconds pause = context.options.probe * context.options.time_scale * std::max(1.0, 10 * (user / whole_));
  return last == last_start_.end() || context.at.now - last->second >= pause;
}

}  // namespace dfrs::triage
