// SPDX-License-Identifier: GPL-2.0-or-later
// The simulator as a host of the policy engine: time, progress of work under yields, the rescheduling penalty (RR-7659,
// section 5.1; docs/reference/semantics.md settles what it leaves open).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "policy/core/engine.h"
#include "policy/core/measured_need.h"
#include "record/pause_world.h"
#include "record/swap_size.h"
#include "sim/errors.h"
#include "sim/host/instance.h"

namespace dfrs::sim {

/// Rules of the live system for jobs that are requeued (policy/core/requeue_rule.h). They guarantee that every job
/// completes.
struct LostWorkRules {
  Seconds min_progress = 60;        ///< seconds of virtual time before a run may be ended (MinProgress), >= 0
  std::uint32_t max_lost_runs = 3;  ///< a job that has lost this many runs is not paused or moved again (MaxLostRuns)
  /// Jobs of PauseEffect::kept are requeued from a checkpoint of their own: min_progress holds for their runs, too.
  /// False: only for those of PauseEffect::lost.
  bool requeue_kept = false;
};

struct SimOptions {
  /// Seconds for which a job that resumes or moves holds its resources without progress. >= 0.
  Seconds penalty = 300;
  /// DFRS algorithms: each submission of an instant gets a decision of its own, after the instant's completions, and a
  /// tick comes last. A job that starts and is then paused or moved within the instant pays for it. False: one decision
  /// covers the instant and only its outcome counts. (Batch policies: BatchOptions::pass_per_event.)
  bool events_apart = true;
  /// If above 0, in MiB/s: the penalty of a job is instead its memory, on the node that has most of it, written and
  /// read back at this rate (SwapRate in dfrs.conf), and policies are told so.
  double swap_rate = 0;
  Seconds restart = 0;  ///< s for another start: on top of a penalty by memory, and after the loss of a run. >= 0
  /// What a pause or a move does to each job. Kept: the job continues where it was, as in the papers. Lost: it starts
  /// over, the requeue of a job without a checkpoint (LostWork=accept in dfrs.conf); there is no memory to save or
  /// restore, so no penalty but `restart`, and no traffic. None: once started it keeps its nodes (PauseBy=none).
  /// Suspended: it continues where it was, on its nodes, and never moves (PauseBy=suspend).
  PauseWorld pauses;
  /// Of each node, for the memory of suspended jobs. A running job may be suspended only where it is promised swap
  /// (policy/core/swap_budget.h).
  record::SwapSize swap;
  LostWorkRules lost_work;
  /// A job that holds more than memory (GPUs) may be paused, but it is not moved while it runs, as on live clusters,
  /// where Slurm places it.
  bool devices_stay = false;
  /// Measures the needs of jobs that request more CPU than they use (policy/core/measured_need.h). Batch policies still
  /// plan with the request.
  bool discover_needs = false;
  NeedRule need_rule;
  Seconds need_interval = 10;  ///< between samples of what jobs use, > 0
  EngineOptions engine;
};

struct JobRecord {
  Seconds start = 0;  ///< first start
  Seconds end = 0;    ///< completion
  std::uint32_t pauses = 0;
  std::uint32_t moves = 0;
  std::uint32_t lost_runs = 0;  ///< pauses and moves that discarded work (PauseEffect::lost)
  Seconds lost_time = 0;        ///< virtual time of these runs
};

/// What happened until all jobs completed.
struct RunResult {
  std::vector<JobRecord> jobs;     ///< by index in Instance::jobs
  double demand = 0;               ///< integral of min(|P|, sum of CPU needs of jobs in the system), node seconds
  double paused_mib = 0;           ///< memory of paused jobs, summed over pauses
  double moved_mib = 0;            ///< memory of tasks that changed nodes, summed over moves
  double lost_work = 0;            ///< node seconds of discarded work (PauseEffect::lost)
  double idle_while_waiting = 0;   ///< node seconds of nodes without a task while some job had no nodes
  std::uint64_t steps = 0;         ///< calls of the engine
  double policy_seconds = 0;       ///< CPU time of these calls, if Watch asks; this and the next vary between runs
  double longest_policy_call = 0;  ///< CPU time of the longest, s

  double mean_policy_call() const { return steps == 0 ? 0 : policy_seconds / static_cast<double>(steps); }
};

/// Observes each call of the engine, for logs and checks. `view` is what the decisions were based on. With an observer
/// a job's slot is its index in Instance::jobs; without one, slots are reused.
class StepObserver {
 public:
  virtual ~StepObserver() = default;
  virtual void on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) = 0;
  /// Why it cannot go on, such as a full disk: the run ends with this error. Null: all is well.
  virtual const Error* failure() const { return nullptr; }
};

/// Who watches a run. Results do not depend on it.
struct Watch {
  StepObserver* observer = nullptr;
  /// Called after each event with the number of completed jobs, and of all.
  std::function<void(std::size_t done, std::size_t total)> completions = {};
  bool explains = false;      ///< decisions come with reasons (Engine::explain)
  bool policy_times = false;  ///< measures the policy's calls, which costs two system calls each
  /// The run ends, having run away, once more jobs than this are in the system; 0: no limit.
  std::size_t most_jobs = 0;
  /// So it does where jobs pile up while they are paused and moved all the time (PileUpGuard).
  bool ends_pile_ups = false;
  /// Receives a sentence when very many jobs are in the system, and again at twice as many.
  std::function<void(const std::string&)> warn = {};
};

/// Why a run ended before its jobs did.
struct RunError : Error {
  bool ran_away = false;  ///< jobs come faster than they end: it would take hours, or never end
};
using RunOutcome = tl::expected<RunResult, RunError>;

/// What a pause does to the job in this world. The same under every algorithm, so that runs can be compared job by job.
PauseEffect pauses_of(const Job& job, const PauseWorld& world);

/// Simulates until all jobs complete. Jobs must be sorted by submission and each must fit the platform. Errors:
/// kExitUsage for options that the engine refuses; kExitInput if no job can ever complete, or if the run ran away; what
/// the observer could not do.
RunOutcome simulate(const Instance& instance, const Algorithm& algorithm, const SimOptions& options,
                    const Watch& watch = {});

inline RunOutcome simulate(const Instance& instance, const Algorithm& algorithm, const SimOptions& options,
                           StepObserver* observer) {
  return simulate(instance, algorithm, options, Watch{.observer = observer});
}

}  // namespace dfrs::sim
