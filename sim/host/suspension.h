// SPDX-License-Identifier: GPL-2.0-or-later
// Jobs that are suspended where they are (PauseEffect::suspended): once started they run on their first nodes only, and
// they may be paused only where their nodes have swap for them. Policies see jobs without swap as never paused.
#pragma once

#include <cstddef>
#include <vector>

#include "policy/core/swap_budget.h"
#include "record/swap_size.h"
#include "sim/host/instance.h"
#include "sim/host/job_slots.h"

namespace dfrs::sim {

class Suspension {
 public:
  /// `slots` must outlive it.
  Suspension(const record::SwapSize& swap, const Platform& platform, JobSlots& slots);

  /// A job waits for its first start.
  void submit(JobSlot job);
  /// A job has started on the nodes that its view shows.
  void start(JobSlot job);
  /// It is paused: its memory goes to the swap of its nodes, which its view goes on to show. False if one
  /// has no room for it, though it was promised.
  bool pause(JobSlot job);
  /// It runs again on its nodes.
  void resume(JobSlot job);
  /// It has ended. Call this while its slot is still its own.
  void complete(JobSlot job);
  /// Call this before each call of the engine. Promises swap to running jobs, forbids the pauses of all others, and
  /// looks whether there is swap for waiting jobs. Without a limit it does nothing. O(running jobs), and O(jobs log
  /// jobs
  /// + tasks + nodes x amounts of memory) if one came or went or their order by virtual time is another.
  void update(Seconds now);

 private:
  void claim(JobSlot job);
  void drop_claim(JobSlot job);

  JobSlots& slots_;
  const bool limited_;
  SwapBudget free_;                // what suspended jobs leave; empty without a limit
  std::vector<SwapClaim> claims_;  // of running jobs
  std::vector<JobSlot> waiting_;   // jobs that have never run
  bool changed_ = false;           // since promises were made
};

}  // namespace dfrs::sim
