// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/saved_state.h"

#include "shim/controller/job.h"

namespace dfrs::shim {

SavedJob save_job(const Job& job) {
  SavedJob saved;
  saved.id = job.id;
  saved.restarts = job.restarts;
  saved.submit = job.submit;
  saved.user = job.user;
  saved.run = job.running()                     ? SavedJob::Run::running
              : job.phase == DFRS_JOB_SUSPENDED ? SavedJob::Run::suspended
                                                : SavedJob::Run::none;
  saved.clock = job.clock;
  saved.run_base = job.run_base;
  saved.yield = job.yield;
  saved.release = job.release;
  saved.started = job.started;
  saved.pauses = job.pauses;
  saved.moves = job.moves;
  saved.lost_runs = job.lost_runs;
  saved.lost_work = job.lost_work;
  saved.known_to_policy = job.known_to_policy;
  saved.requeue_asked = job.requeue_asked;
  saved.requeue_asked_of = job.requeue_asked_of;
  saved.requeued_by_us = job.requeued_by_us;
  saved.requeue_begin_time = job.requeue_begin_time;
  saved.start_not_before = job.start_not_before;
  return saved;
}

void restore_job(const SavedJob& saved, Job& job) {
  // The run that the clock and the requeue belong to; what has become of it since, the observer finds out.
  job.restarts = saved.restarts;
  job.submit = saved.submit;
  job.clock = saved.clock;
  job.run_base = saved.run_base;
  job.yield = saved.yield;
  job.release = saved.release;
  job.started = saved.started;
  job.pauses = saved.pauses;
  job.moves = saved.moves;
  job.lost_runs = saved.lost_runs;
  job.lost_work = saved.lost_work;
  job.known_to_policy = saved.known_to_policy;
  job.requeue_asked = saved.requeue_asked;
  job.requeue_asked_of = saved.requeue_asked_of;
  job.requeued_by_us = saved.requeued_by_us;
  job.requeue_begin_time = saved.requeue_begin_time;
  job.start_not_before = saved.start_not_before;
  if (saved.run == SavedJob::Run::running) job.phase = DFRS_JOB_RUNNING;
  if (saved.run == SavedJob::Run::suspended) job.phase = DFRS_JOB_SUSPENDED;
}

}  // namespace dfrs::shim
