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
  saved.run = job.running()                           ? SavedJob::Run::running
              : job.facts.phase == DFRS_JOB_SUSPENDED ? SavedJob::Run::suspended
                                                      : SavedJob::Run::none;
  saved.clock = job.progress.clock;
  saved.run_base = job.progress.run_base;
  saved.yield = job.desired.yield;
  saved.release = job.history.release;
  saved.started = job.history.first_start;
  saved.pauses = job.history.pauses;
  saved.moves = job.history.moves;
  saved.lost_runs = job.history.lost_runs;
  saved.lost_work = job.history.lost_work;
  saved.longest_run = job.history.longest_run;
  saved.known_to_policy = job.policy.known;
  saved.requeue_asked = job.requeue.asked;
  saved.requeue_asked_of = job.requeue.asked_of_run;
  saved.requeued_by_us = job.requeue.by_us;
  saved.requeue_begin_time = job.requeue.begin_time;
  saved.start_not_before = job.requeue.start_not_before;
  saved.checkpointing = job.checkpointing;
  return saved;
}

void restore_job(const SavedJob& saved, Job& job) {
  // The run that the clock and the requeue belong to. The observer finds out what became of it.
  job.restarts = saved.restarts;
  job.submit = saved.submit;
  job.progress.clock = saved.clock;
  job.progress.run_base = saved.run_base;
  job.desired.yield = saved.yield;
  job.history.release = saved.release;
  job.history.first_start = saved.started;
  job.history.pauses = saved.pauses;
  job.history.moves = saved.moves;
  job.history.lost_runs = saved.lost_runs;
  job.history.lost_work = saved.lost_work;
  job.history.longest_run = saved.longest_run;
  job.policy.known = saved.known_to_policy;
  job.requeue.asked = saved.requeue_asked;
  job.requeue.asked_of_run = saved.requeue_asked_of;
  job.requeue.by_us = saved.requeued_by_us;
  job.requeue.begin_time = saved.requeue_begin_time;
  job.requeue.start_not_before = saved.start_not_before;
  job.checkpointing = saved.checkpointing;
  job.checkpointing.in_doubt = saved.checkpointing.restoring && saved.run == SavedJob::Run::running;
  if (saved.run == SavedJob::Run::running) job.facts.phase = DFRS_JOB_RUNNING;
  if (saved.run == SavedJob::Run::suspended) job.facts.phase = DFRS_JOB_SUSPENDED;
}

}  // namespace dfrs::shim
