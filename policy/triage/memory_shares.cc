// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/memory_shares.h"

#include <algorithm>

namespace dfrs::triage {

void MemoryShares::count(const DecisionContext& context) {
  const std::span<const JobSlot> active = context.state.active();
  matter_ = !context.at.all_kept;
  if (!matter_) return;
  std::size_t kept = 0;
  whole_ = 0;
  for (NodeIndex n = 0; n < context.state.node_count(); ++n) {
    whole_ += static_cast<double>(context.state.rigid_capacity(n)[kMemory]);
  }
  const std::size_t nodes = context.state.node_count();
  node_ = nodes == 0 ? 0 : static_cast<RigidAmount>(whole_ / static_cast<double>(nodes));
  held_ = 0;
  users_.forget_beyond(active.size());
  kinds_.forget_beyond(active.size());
  by_user_.assign(users_.size(), {});
  by_kind_.assign(kinds_.size(), {});
  several_users_ = false;
  all_stay_ = true;
  for (JobSlot slot : active) {
    const JobView& job = context.job(slot);
    if (job.pauses != Pauses::none) all_stay_ = false;
    if (job.pauses == Pauses::kept) ++kept;
    if (job.user != context.job(active.front()).user) several_users_ = true;
    if (context.state.placed(slot)) add(slot, job, job.virtual_time(context.at.now));
  }
  kept_part_ = static_cast<double>(kept) / static_cast<double>(active.size());
}

// What the job takes of memory, with what is left over where its tasks fill a node. In whole MiB, so that sums do not
// depend on the order.
double MemoryShares::size(const JobView& job) const {
  RigidAmount task = job.rigid[kMemory];
  if (task > 0 && task <= node_) task = node_ / (node_ / task);
  return static_cast<double>(task) * job.tasks;
}

void MemoryShares::add(JobSlot slot, const JobView& job, Seconds progress) {
  if (job.pauses == Pauses::kept) return;
  const double held = size(job);
  held_ += held;
  if (job.user == 0) return;
  const std::uint32_t user = users_.number(slot, job.user);
  const std::uint32_t alike = kinds_.number(slot, kind(job));
  if (user >= by_user_.size()) by_user_.resize(users_.size());
  if (alike >= by_kind_.size()) by_kind_.resize(kinds_.size());
  by_kind_[alike].held += held;
  by_kind_[alike].any = true;
  by_user_[user].held += held;
  by_user_[user].least_progress = std::min(by_user_[user].least_progress, progress);
}

void MemoryShares::placed(const DecisionContext& context, JobSlot slot) {
  add(slot, context.job(slot), context.job(slot).virtual_time(context.at.now));
}

const MemoryShares::Alike& MemoryShares::alike(JobSlot slot, const JobView& job) const {
  static constexpr Alike kNone;
  const std::uint32_t number = kinds_.find(slot, kind(job));
  return number < by_kind_.size() ? by_kind_[number] : kNone;
}

const MemoryShares::Holder& MemoryShares::holder(JobSlot slot, const JobView& job) const {
  static constexpr Holder kNone;
  const std::uint32_t number = users_.find(slot, job.user);
  return number < by_user_.size() ? by_user_[number] : kNone;
}

double MemoryShares::urgency_by_share(const DecisionContext& context, JobSlot slot) const {
  const JobView& job = context.job(slot);
  double urgent = context.urgency(slot);
  if (!matter_ || job.pauses == Pauses::kept || context.knows()) return urgent;
  if (!context.limit.empty() && all_stay_) {
    urgent *= short_job(context.options) / std::max(context.limit[slot], short_job(context.options));
  }
  const double held = alike(slot, job).held;
  return held > 0 && whole_ > 0 ? urgent / (1 + context.options.crowd * (held / whole_)) : urgent;
}

// Whether the job may never be paused, and its user shares memory with others and holds some with jobs like it.
bool MemoryShares::holds_alike(const DecisionContext& context, JobSlot slot) const {
  const JobView& job = context.job(slot);
  if (!matter_ || !several_users_ || job.pauses != Pauses::none || context.knows()) return false;
  return alike(slot, job).any;  // of known users only
}

bool MemoryShares::may_start(const DecisionContext& context, JobSlot slot) const {
  if (!holds_alike(context, slot)) return true;
  if (!context.limit.empty() && context.limit[slot] <= kBriefLimit * context.options.time_scale) return true;
  const double more = size(context.job(slot));
  const double user = holder(slot, context.job(slot)).held;
  return user + more <= context.options.share * (whole_ - held_ - more);
}

bool MemoryShares::may_probe(const DecisionContext& context, JobSlot slot) const {
  const double more = size(context.job(slot));
  const double left = whole_ - held_;
  if (more > kProbePart * left) return false;
  const double others = 1 - kept_part_;
  const Seconds pause = context.options.probe * context.options.time_scale * (more / left) / (others * others * others);
  return holder(slot, context.job(slot)).least_progress >= pause;
}

}  // namespace dfrs::triage
