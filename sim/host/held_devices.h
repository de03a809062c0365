// SPDX-License-Identifier: GPL-2.0-or-later
// What suspended jobs hold besides memory, GPUs for one. Slurm leaves it to them until they end, so that no other job
// gets it while they are paused.
//
// A job that runs on its first nodes only has it there from its start on, whether it runs or not. The view says so in
// this way: the nodes have that much less, and the job needs none of it any more.
#pragma once

#include <vector>

#include "sim/host/instance.h"
#include "sim/host/job_slots.h"

namespace dfrs::sim {

/// Whether the job holds another rigid resource than memory.
bool holds_devices(const Job& job);

class HeldDevices {
 public:
  /// All must outlive it. `nodes`: as views show them.
  HeldDevices(const Instance& instance, JobSlots& slots, std::vector<NodeView>& nodes)
      : instance_(instance), slots_(slots), nodes_(nodes) {}

  /// A job has started on the nodes that its view shows.
  void start(JobSlot job);
  /// It has ended. Call this while its slot is still its own.
  void complete(JobSlot job);
  /// Whether nodes have changed since the last call, which the engine learns by a resync.
  bool take_changed();

 private:
  const RigidVector& of(JobSlot job) const { return instance_.jobs[slots_.truth(job).index].rigid; }

  const Instance& instance_;
  JobSlots& slots_;
  std::vector<NodeView>& nodes_;
  bool changed_ = false;
};

}  // namespace dfrs::sim
