// SPDX-License-Identifier: GPL-2.0-or-later
// What the controller knows of a job. Plain data in parts; the header of each part says who writes it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <tl/expected.hpp>

#include "shim/controller/job_attempts.h"
#include "shim/controller/job_checkpoint.h"
#include "shim/controller/job_facts.h"
#include "shim/controller/job_pausing.h"
#include "shim/controller/job_plan.h"
#include "shim/controller/job_progress.h"
#include "shim/controller/timing.h"

namespace dfrs::shim {

/// Begins with what most passes over all jobs read.
struct alignas(64) Job {
  // Identity (identity.h) of the run that the rest describes.
  std::uint32_t id = 0;
  std::uint32_t restarts = 0;
  std::int64_t submit = 0;  ///< Slurm's, of this run; a requeue changes it
  std::uint32_t user = 0;

  Desired desired;
  JobFacts facts;
  PolicyEntry policy;
  CpuNeed need;
  Pausing pausing;
  Checkpointing checkpointing;
  Progress progress;
  History history;
  RequeueTracking requeue;
  StartAttempts attempts;
  AttributeRequests requests;

  bool in_engine() const { return desired.state != DesiredState::none; }
  bool has(dfrs_job_flag flag) const { return facts.has(flag); }
  bool running() const { return facts.phase == DFRS_JOB_RUNNING; }
  /// By us, not by its user.
  bool suspended() const { return facts.phase == DFRS_JOB_SUSPENDED && !has(DFRS_JOB_USER_SUSPENDED); }
  bool user_suspended() const { return facts.phase == DFRS_JOB_SUSPENDED && has(DFRS_JOB_USER_SUSPENDED); }
  bool queued() const { return facts.phase == DFRS_JOB_PENDING || facts.phase == DFRS_JOB_REQUEUING; }
  /// The policy wants it to run on the nodes that it has.
  bool to_run_in_place() const { return desired.state == DesiredState::running && desired.nodes == facts.nodes; }
  /// The policy wants it to run, but not on the nodes that it has (it may have none).
  bool to_run_elsewhere() const { return desired.state == DesiredState::running && desired.nodes != facts.nodes; }
  /// It runs in Slurm's records only (DFRS_JOB_LOST), and may be requeued.
  bool lost() const {
    return has(DFRS_JOB_LOST) && has(DFRS_JOB_MAY_REQUEUE) && !pausing.requeue_refused && in_engine();
  }
  void desire_pause(PauseWay way) {
    desired.state = DesiredState::paused;
    desired.pause_way = way;
    desired.nodes.clear();
    requeue.moving_since = 0;
  }
  dfrs_job_key key() const { return {id, restarts, submit}; }
  Seconds virtual_time(Seconds now) const { return progress.clock.at(now); }
  Seconds run_virtual_time(Seconds now) const { return progress.clock.at(now) - progress.run_base; }
  /// It begins to launch something: it is spared for this much progress.
  void spare_launch(Seconds progress_needed, Seconds now) {
    pausing.launched_at = virtual_time(now) + progress_needed;
    pausing.launched_by = now + kLaunchPatience;
  }
  /// When it may be suspended at its present yield; now or earlier: at once.
  Seconds suspendable_at(Seconds now) const {
    const Seconds left = pausing.launched_at - virtual_time(now);
    if (left <= 0) return pausing.suspend_not_before;
    const Seconds launched = progress.clock.rate > 0 ? now + left / progress.clock.rate : kNever;
    return std::max(pausing.suspend_not_before, std::min(launched, pausing.launched_by));
  }
};

/// The order in which jobs get free resources: by release.
inline bool released_earlier(const Job* a, const Job* b) {
  return a->history.release != b->history.release ? a->history.release < b->history.release : a->id < b->id;
}

/// Checks the invariants of a job between steps. Error: the one that is violated, for people.
///   - it has a slot if and only if the engine knows it
///   - only a job that is to run has desired nodes; they are ascending
///   - it has nodes only while it runs or is suspended; they are ascending
///   - yields lie in [0, 1], and a clock runs only while the job does
tl::expected<void, std::string> check_job(const Job& job);

}  // namespace dfrs::shim
