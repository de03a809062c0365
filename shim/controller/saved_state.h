// SPDX-License-Identifier: GPL-2.0-or-later
// What must survive a restart of slurmctld: of each job, and totals.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "policy/core/view.h"
#include "shim/controller/job_checkpoint.h"

namespace dfrs::shim {

struct Job;

/// The fields of Job that are saved: see save_job().
struct SavedJob {
  std::uint32_t id = 0;
  std::uint32_t restarts = 0;
  std::int64_t submit = 0;  ///< s since the epoch, as all times here
  std::uint32_t user = 0;
  enum class Run : std::uint8_t { none, running, suspended };
  Run run = Run::none;  ///< the clock of a running job goes on while slurmctld is down, as the job does
  VirtualClock clock;
  Seconds run_base = 0;
  double yield = 0;
  Seconds release = 0;
  Seconds started = 0;
  std::uint32_t pauses = 0;
  std::uint32_t moves = 0;
  std::uint32_t lost_runs = 0;
  Seconds lost_work = 0;
  Seconds longest_run = 0;
  bool known_to_policy = false;
  bool requeue_asked = false;
  std::uint32_t requeue_asked_of = 0;
  bool requeued_by_us = false;
  std::int64_t requeue_begin_time = 0;
  Seconds start_not_before = 0;
  Checkpointing checkpointing;  ///< without what the agents say of the run
};

/// Totals of the cluster since the state file was created.
struct Totals {
  std::uint64_t lost_runs = 0;
  Seconds lost_work = 0;
};

struct SavedState {
  Seconds saved_at = 0;  ///< s since the epoch
  /// Increases at each start of a controller, so that agents tell its requests from those of earlier controllers.
  std::uint64_t epoch = 0;
  Totals totals;
  bool quotas_in_force = false;                      ///< quotas were sent to the agents
  std::unordered_map<std::uint32_t, SavedJob> jobs;  ///< by number
};

/// The saved part of a job.
SavedJob save_job(const Job& job);
/// Enters the saved part into a new record. Leaves the facts alone.
void restore_job(const SavedJob& saved, Job& job);

}  // namespace dfrs::shim
