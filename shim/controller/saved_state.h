// SPDX-License-Identifier: GPL-2.0-or-later
// What must survive slurmctld, of each job and of all together.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "policy/core/view.h"

namespace dfrs::shim {

struct Job;

/// Each field is that of a part of Job: see save_job().
struct SavedJob {
  std::uint32_t id = 0;
  std::uint32_t restarts = 0;
  std::int64_t submit = 0;  ///< s since the epoch, as all instants here
  std::uint32_t user = 0;
  enum class Run : std::uint8_t { none, running, suspended };
  Run run = Run::none;  ///< a clock that was running goes on while slurmctld is away, as the job does
  VirtualClock clock;
  Seconds run_base = 0;
  double yield = 0;
  Seconds release = 0;
  Seconds started = 0;
  std::uint32_t pauses = 0;
  std::uint32_t moves = 0;
  std::uint32_t lost_runs = 0;
  Seconds lost_work = 0;
  bool known_to_policy = false;
  bool requeue_asked = false;
  std::uint32_t requeue_asked_of = 0;
  bool requeued_by_us = false;
  std::int64_t requeue_begin_time = 0;
  Seconds start_not_before = 0;
};

/// Of the whole cluster, since the state file began.
struct Totals {
  std::uint64_t lost_runs = 0;
  Seconds lost_work = 0;
};

struct SavedState {
  Seconds saved_at = 0;  ///< s since the epoch
  /// Raised each time a controller starts: tells its orders to agents from those of earlier controllers.
  std::uint64_t epoch = 0;
  Totals totals;
  bool quotas_in_force = false;                      ///< agents have been given quotas
  std::unordered_map<std::uint32_t, SavedJob> jobs;  ///< by number
};

/// What is to be kept of a job.
SavedJob save_job(const Job& job);
/// Puts what was kept into a record that was just made. Facts are left as they are.
void restore_job(const SavedJob& saved, Job& job);

}  // namespace dfrs::shim
