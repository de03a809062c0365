// SPDX-License-Identifier: GPL-2.0-or-later
// Runs that a requeue would end, in their first seconds: such a job is neither paused nor moved before its run has made
// the minimum progress.
#pragma once

#include <vector>

#include "sim/host/job_slots.h"

namespace dfrs::sim {

class YoungRuns {
 public:
  /// `slots` must outlive it, and must not be reused for other jobs.
  YoungRuns(Seconds min_progress, JobSlots& slots) : min_progress_(min_progress), slots_(slots) {}

  /// A run begins: the job starts, resumes or moves. Its clock shows what earlier runs have gained.
  void begin(JobSlot job);
  /// Call this before each call of the engine. Lifts the protection of runs that have made the minimum progress.
  /// O(protected runs).
  void update(Seconds now);
  /// When the first of them will have made it, at the present yields; kNever: none will. O(protected runs).
  Seconds next_end(Seconds now) const;

 private:
  struct Run {
    JobSlot job = kNoSlot;
    Seconds gained_before = 0;  // virtual time
  };

  const Seconds min_progress_;
  JobSlots& slots_;
  std::vector<Run> runs_;
};

}  // namespace dfrs::sim
