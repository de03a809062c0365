// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/results.h"

#include <algorithm>
#include <cstring>

#include "shim/controller/backoff.h"
#include "shim/controller/clock.h"
#include "shim/controller/observer.h"
#include "shim/controller/timing.h"

namespace dfrs::shim {
namespace {

const char* kind_name(dfrs_operation_kind kind) {
  switch (kind) {
    case DFRS_OP_START:
      return "start";
    case DFRS_OP_SUSPEND:
      return "suspend";
    case DFRS_OP_RESUME:
      return "resume";
    case DFRS_OP_REQUEUE:
      return "requeue";
    case DFRS_OP_END_TIME:
      return "set the end time of";
    case DFRS_OP_COMMENT:
      return "set the comment of";
  }
  return "?";
}

std::string reason_of(const dfrs_result& result) {
  std::string reason(result.reason, strnlen(result.reason, sizeof(result.reason)));
  return reason.empty() ? "no reason given" : reason;
}

// A task of an array has been split off as a job of its own: it has the place of the array's record with the policy.
Job& split_off_task(Job& array, std::uint32_t id, JobTable& jobs) {
  if (jobs.find(id) != nullptr) return array;
  Job& task = jobs.add(id);
  const JobSlot slot = array.policy.slot;
  const std::uint32_t array_id = array.id;
  array.policy.slot = kNoSlot;
  task = array;
  array.policy.slot = slot;
  task.id = id;
  task.facts.flags &= ~std::uint32_t{DFRS_JOB_ARRAY_META};
  jobs.hand_over_slot(array, task);
  // The record stands for the rest of the array, which the next snapshot shows.
  array.id = array_id;
  array.desired.state = DesiredState::none;
  array.desired.pause_way = PauseWay::none;
  array.desired.nodes.clear();
  array.policy.known = false;
  array.requeue.by_us = false;
  array.attempts.busy_since = 0;
  array.attempts.refusals = 0;
  return task;
}

void started(Job& job, Seconds now) {
  if (job.history.first_start == 0) {
    job.history.first_start = now;
  } else if (!job.facts.last_nodes.empty() && job.facts.last_nodes != job.desired.nodes) {
    ++job.history.moves;
  }
  job.facts.phase = DFRS_JOB_RUNNING;
  job.facts.nodes = job.desired.nodes;
  job.progress.run_base = job.progress.clock.at(now);
  set_rate(job.progress.clock, now, job.desired.yield);
  job.progress.granted_yield = job.desired.yield;
  job.progress.raise_unconfirmed = false;
  job.pausing.suspend_not_before = now + kSuspendAfterStart;
  job.requeue.by_us = false;
  job.requeue.begin_time = 0;
  job.facts.end_time = 0;
  job.need.samples.clear();
}

// Takes the job from the policy, longer each time in a row.
void back_off_from(Job& job, const dfrs_result& result, bool refused, Seconds now) {
  ++job.attempts.refusals;
  job.attempts.retry_at = now + (refused ? back_off(job.attempts.refusals, kRefusedFirst, kRefusedLast)
                                         : back_off(job.attempts.refusals, kBlockedFirst, kBlockedLast));
  job.attempts.reason = reason_of(result);
  job.policy.must_leave = true;
  job.requeue.moving_since = 0;  // what it waits for now is not the move
  // Back again it takes what room there is: it must not put others out for a start that may be refused again.
  job.policy.enters_paused = true;
  job.attempts.busy_since = 0;
}

}  // namespace

void apply_result(const dfrs_operation& operation, const dfrs_result& result, Seconds now, const Config& config,
                  const Log& log, JobTable& jobs, Totals& totals, ResultEffects& effects) {
  Job* job = jobs.find(operation.key.job_id);
  if (job == nullptr) return;
  const bool refused = result.code == DFRS_REFUSED || result.code == DFRS_BLOCKED;
  if (result.code == DFRS_REFUSED) {
    log.warn("cannot {} job {}: {}", kind_name(operation.kind), job->id, reason_of(result));
  } else if (result.code != DFRS_DONE) {
    log.verbose("cannot {} job {} now: {}", kind_name(operation.kind), job->id, reason_of(result));
  }
  if (result.code == DFRS_DONE && operation.kind != DFRS_OP_COMMENT && operation.kind != DFRS_OP_END_TIME) {
    effects.state_changed = true;
    job->attempts.busy_since = 0;
  }
  switch (operation.kind) {
    case DFRS_OP_START:
    case DFRS_OP_RESUME:
      if (result.code == DFRS_DONE) {
        job->attempts.refusals = 0;
        job->attempts.reason.clear();
        if (job->requeue.moving_since > 0) effects.restarts_took.push_back(now - job->requeue.moving_since);
        job->requeue.moving_since = 0;
        if (operation.kind == DFRS_OP_RESUME) {
          job->facts.phase = DFRS_JOB_RUNNING;
          grant_yield(*job, now, job->desired.yield, effects.confirm_raises);
          job->pausing.suspend_not_before = std::max(job->pausing.suspended_at + kSuspendTakes, now) + kResumeTakes;
        } else if (result.job_id != 0 && result.job_id != job->id) {
          started(split_off_task(*job, result.job_id, jobs), now);
        } else {
          started(*job, now);
        }
      } else if (refused) {
        back_off_from(*job, result, result.code == DFRS_REFUSED, now);
      } else {
        // Busy, or no longer what it was: the next snapshot shows. Not for ever, though.
        if (job->attempts.busy_since == 0) job->attempts.busy_since = now;
        job->attempts.reason = reason_of(result);
        if (now - job->attempts.busy_since > kBusyPatience) back_off_from(*job, result, false, now);
      }
      break;
    case DFRS_OP_SUSPEND:
      if (result.code == DFRS_DONE) {
        job->facts.phase = DFRS_JOB_SUSPENDED;
        job->facts.keeps_memory = false;
        job->pausing.suspended_at = now;
        job->facts.flags &= ~std::uint32_t{DFRS_JOB_USER_SUSPENDED};
        stop_clock(job->progress.clock, now);
        ++job->history.pauses;
        effects.swap_promised = true;
      } else if (refused) {
        job->pausing.suspend_refused = job->policy.contradicted = true;
      }
      break;
    case DFRS_OP_REQUEUE:
      if (result.code == DFRS_DONE) {
        const bool pause = job->desired.state == DesiredState::paused;
        if (pause && job->running()) ++job->history.pauses;
        end_run(*job, config, now, totals);
        job->facts.phase = DFRS_JOB_REQUEUING;
        ++job->restarts;
        job->requeue.asked = false;
        job->requeue.by_us = true;
        job->requeue.begin_time = 0;
        job->requeue.start_not_before = now + kCredentialWait;
        if (pause) job->desired.pause_way = PauseWay::none;
        job->requeue.moving_since = pause ? 0 : now;
      } else if (refused) {
        job->pausing.requeue_refused = job->policy.contradicted = true;
        job->requeue.asked = false;
      } else {
        job->requeue.asked = false;
      }
      break;
    case DFRS_OP_END_TIME:
      if (result.code == DFRS_DONE) {
        job->facts.end_time = operation.end_time;
      } else if (refused) {
        job->requests.end_time_retry = now + 60;
      }
      break;
    case DFRS_OP_COMMENT:
      if (result.code == DFRS_DONE) job->facts.comment = operation.text != nullptr ? operation.text : "";
      break;
  }
}

}  // namespace dfrs::shim
