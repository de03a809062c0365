// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/host/held_devices.h"

#include <utility>

namespace dfrs::sim {
namespace {

bool more_than_memory(const RigidVector& rigid) {
  for (std::size_t d = 0; d < rigid.size(); ++d) {
    if (d != kMemory && rigid[d] > 0) return true;
  }
  return false;
}

}  // namespace

bool holds_devices(const Job& job) { return more_than_memory(job.rigid); }

void HeldDevices::start(JobSlot job) {
  JobView& view = slots_.view(job);
  if (!more_than_memory(view.rigid)) return;
  changed_ = true;
  for (std::size_t d = 0; d < view.rigid.size(); ++d) {
    if (d == kMemory) continue;
    for (const NodeIndex n : view.nodes) nodes_[n].spec.rigid[d] -= view.rigid[d];
    view.rigid[d] = 0;
  }
}

void HeldDevices::complete(JobSlot job) {
  const RigidVector& held = of(job);
  if (!more_than_memory(held)) return;
  changed_ = true;
  for (std::size_t d = 0; d < held.size(); ++d) {
    if (d == kMemory) continue;
    for (const NodeIndex n : slots_.view(job).nodes) nodes_[n].spec.rigid[d] += held[d];
  }
}

bool HeldDevices::take_changed() { return std::exchange(changed_, false); }

}  // namespace dfrs::sim
