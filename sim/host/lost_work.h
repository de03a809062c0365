// SPDX-License-Identifier: GPL-2.0-or-later
// Runs whose work is lost when they end early (PauseEffect::lost): which may be ended, and what that costs.
#pragma once

#include <vector>

#include "sim/host/job_slots.h"
#include "sim/host/simulation.h"
#include "sim/host/young_runs.h"

namespace dfrs::sim {

class LostWork {
 public:
  /// All arguments must outlive it. What is lost is added to `result`. restart: SimOptions::restart.
  LostWork(const LostWorkRules& rules, Seconds restart, JobSlots& slots, JobProgress& progress, YoungRuns& young,
           RunResult& result)
      : rules_(rules), restart_(restart), slots_(slots), progress_(progress), young_(young), result_(result) {}

  /// A job starts or resumes. Its run may not be ended until it has made the minimum progress, and never if the job has
  /// lost as many runs as the rules allow.
  void begin(JobSlot job) {
    runs_.push_back(job);
    protect(job);
  }
  /// A job moves: its run is lost, and another begins.
  void restart(JobSlot job) {
    lose(job);
    protect(job);
  }
  /// A job is paused: its run is lost.
  void end(JobSlot job) {
    lose(job);
    slots_.view(job).flags = {};
  }
  /// Call this before each call of the engine. Shows policies what ending each run would cost. O(running jobs).
  void update(Seconds now);

 private:
  void protect(JobSlot job);
  void lose(JobSlot job);

  const LostWorkRules& rules_;
  const Seconds restart_;
  JobSlots& slots_;
  JobProgress& progress_;
  YoungRuns& young_;
  RunResult& result_;
  std::vector<JobSlot> runs_;  // all running jobs of the kind
};

}  // namespace dfrs::sim
