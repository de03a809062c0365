// SPDX-License-Identifier: GPL-2.0-or-later
// The simulator as a host of the policy engine: time, progress of work under yields, the rescheduling penalty
// (RR-7659, section 5.1; the rules it leaves open are in docs/reference/semantics.md).
#pragma once

#include <cstdint>
#include <vector>

#include "policy/core/engine.h"
#include "policy/core/measured_need.h"
#include "sim/host/instance.h"

namespace dfrs::sim {

/// What becomes of a job's work when it is paused or moved.
enum class PausedWork {
  kKept,  ///< it goes on where it was, as in the papers
  /// Its run is ended, and it begins again from nothing: the requeue of a job without a checkpoint (LostWork=accept of
  /// dfrs.conf). It has no memory to save and none to restore: no penalty, no traffic.
  kLost,
};

/// Rules of the live system for PausedWork::kLost, by which every job gets to its end.
struct LostWorkRules {
  Seconds min_progress = 60;        ///< seconds of virtual time before a run may be ended (MinProgress), >= 0
  std::uint32_t max_lost_runs = 3;  ///< a job that has lost so many runs is not paused or moved again (MaxLostRuns)
};

struct SimOptions {
  /// Seconds for which a job that resumes, or whose nodes change, holds its resources without progress. >= 0.
  Seconds penalty = 300;
  /// DFRS algorithms: each submission of an instant is decided upon and carried out by itself, behind the instant's
  /// completions, and a tick comes last; a job started and paused, or moved, within the instant pays for it. False:
  /// one decision covers the instant and only its outcome counts. (Batch policies: BatchOptions::pass_per_event.)
  bool events_apart = true;
  PausedWork paused_work = PausedWork::kKept;
  LostWorkRules lost_work;
  /// Needs of jobs that ask for more CPU than they use are found out by measuring (policy/core/measured_need.h). Batch
  /// policies plan with what was asked for all the same.
  bool discover_needs = false;
  NeedRule need_rule;
  Seconds need_interval = 10;  ///< between looks at what jobs use, > 0
  EngineOptions engine;
};

struct JobRecord {
  Seconds start = 0;  ///< first start
  Seconds end = 0;    ///< completion
  std::uint32_t pauses = 0;
  std::uint32_t moves = 0;
  std::uint32_t lost_runs = 0;  ///< pauses and moves that ended a run with work in it (PausedWork::kLost)
  Seconds lost_time = 0;        ///< virtual time of these runs
};

/// What happened, all jobs completed.
struct RunResult {
  std::vector<JobRecord> jobs;  ///< by index in Instance::jobs
  double demand = 0;            ///< integral of min(|P|, sum of CPU needs of jobs in the system), node seconds
  double paused_mib = 0;        ///< memory of paused jobs, summed over pauses
  double moved_mib = 0;         ///< memory of tasks that changed nodes, summed over moves
  double lost_work = 0;         ///< of runs that were ended, node seconds (PausedWork::kLost)
  std::uint64_t steps = 0;      ///< calls of the engine
};

/// Sees each call of the engine: for logs and checks. The view is the one the decisions were made on. A job's slot is
/// its index in Instance::jobs; in a run that nobody observes, slots of jobs that have ended are used again.
class StepObserver {
 public:
  virtual ~StepObserver() = default;
  virtual void on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) = 0;
};

/// Simulate to the completion of all jobs. Jobs must be sorted by submission and each must fit the platform.
/// Errors: Failure (UsageError for options the engine refuses; InputError if no job can ever complete).
RunResult simulate(const Instance& instance, const Algorithm& algorithm, const SimOptions& options,
                   StepObserver* observer = nullptr);

}  // namespace dfrs::sim
