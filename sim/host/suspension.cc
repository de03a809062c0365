// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/host/suspension.h"

#include <algorithm>

namespace dfrs::sim {

Suspension::Suspension(const record::SwapSize& swap, const Platform& platform, JobSlots& slots)
    : slots_(slots), limited_(swap.limited()) {
  if (!limited_) return;
  std::vector<RigidAmount> mib;
  mib.reserve(platform.nodes.size());
  for (const NodeSpec& node : platform.nodes) mib.push_back(swap.on(node.rigid[kMemory]));
  free_ = SwapBudget(std::move(mib));
}

void Suspension::claim(JobSlot job) {
  changed_ = true;
  const JobView& view = slots_.view(job);
  claims_.push_back({.nodes = {}, .memory = view.rigid[kMemory], .number = slots_.truth(job).index, .owner = job});
}

void Suspension::drop_claim(JobSlot job) {
  changed_ = true;
  std::erase_if(claims_, [job](const SwapClaim& claim) { return claim.owner == job; });
}

void Suspension::submit(JobSlot job) {
  if (!limited_) return;
  waiting_.push_back(job);
  changed_ = true;
}

void Suspension::start(JobSlot job) {
  slots_.view(job).flags.may_not_move = true;
  if (!limited_) return;
  std::erase(waiting_, job);
  claim(job);
}

bool Suspension::pause(JobSlot job) {
  if (!limited_) return true;
  const JobView& view = slots_.view(job);
  if (!free_.promise(view.nodes, view.rigid[kMemory])) return false;
  drop_claim(job);
  return true;
}

void Suspension::resume(JobSlot job) {
  if (!limited_) return;
  const JobView& view = slots_.view(job);
  free_.give_back(view.nodes, view.rigid[kMemory]);
  claim(job);
}

void Suspension::complete(JobSlot job) {
  if (limited_) drop_claim(job);
}

void Suspension::update(Seconds now) {
  if (!limited_) return;
  for (SwapClaim& claim : claims_) {
    const JobView& view = slots_.view(static_cast<JobSlot>(claim.owner));
    claim.nodes = view.nodes;
    claim.virtual_time = view.virtual_time(now);
  }
  if (!changed_ && std::is_sorted(claims_.begin(), claims_.end(), claims_before)) return;
  changed_ = false;
  SwapBudget left = free_;
  promise_swap(left, claims_);
  for (const SwapClaim& claim : claims_) {
    JobView& view = slots_.view(static_cast<JobSlot>(claim.owner));
    view.flags.may_not_pause = !claim.promised;
    view.pauses = claim.promised ? Pauses::kept : Pauses::none;
  }
  SwapOutlook outlook(left);
  for (const JobSlot job : waiting_) {
    JobView& view = slots_.view(job);
    view.pauses = outlook.has_room(view.tasks, view.rigid[kMemory]) ? Pauses::kept : Pauses::none;
  }
}

}  // namespace dfrs::sim
