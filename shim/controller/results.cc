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
Job& split_off(Job& array, std::uint32_t id, Books& books) {
  if (books.find(id) != nullptr) return array;
  Job& task = books.add(id);
  const JobSlot slot = array.slot;
  const std::uint32_t array_id = array.id;
  array.slot = kNoSlot;
  task = array;
  array.slot = slot;
  task.id = id;
  task.flags &= ~std::uint32_t{DFRS_JOB_ARRAY_META};
  books.hand_over_slot(array, task);
  // The record stands for the rest of the array, which the next snapshot shows.
  array.id = array_id;
  array.wish = Wish::none;
  array.way = PauseWay::none;
  array.target.clear();
  array.known_to_policy = false;
  array.requeued_by_us = false;
  array.busy_since = 0;
  array.refusals = 0;
  return task;
}

void started(Job& job, Seconds now) {
  if (job.started == 0) {
    job.started = now;
  } else if (!job.last_at.empty() && job.last_at != job.target) {
    ++job.moves;
  }
  job.phase = DFRS_JOB_RUNNING;
  job.at = job.target;
  job.run_base = job.clock.at(now);
  set_rate(job.clock, now, job.yield);
  job.given = job.yield;
  job.raise_unconfirmed = false;
  job.suspend_not_before = now + kSuspendAfterStart;
  job.requeued_by_us = false;
  job.requeue_begin_time = 0;
  job.end_time = 0;
  job.samples.clear();
}

// Takes the job from the policy, longer each time in a row.
void back_off_from(Job& job, const dfrs_result& result, bool refused, Seconds now) {
  ++job.refusals;
  job.retry_at = now + (refused ? back_off(job.refusals, kRefusedFirst, kRefusedLast)
                                : back_off(job.refusals, kBlockedFirst, kBlockedLast));
  job.refusal = reason_of(result);
  job.leave = true;
  job.requeued_to_move = 0;  // what it waits for now is not the move
  // Back again it takes what room there is: it must not put others out for a start that may be refused again.
  job.enter_quietly = true;
  job.busy_since = 0;
}

}  // namespace

void enter_result(const dfrs_operation& operation, const dfrs_result& result, Seconds now, const Config& config,
                  const Log& log, Books& books, Totals& totals, ResultEffects& effects) {
  Job* job = books.find(operation.key.job_id);
  if (job == nullptr) return;
  const bool refused = result.code == DFRS_REFUSED || result.code == DFRS_BLOCKED;
  if (result.code == DFRS_REFUSED) {
    log.warn("cannot {} job {}: {}", kind_name(operation.kind), job->id, reason_of(result));
  } else if (result.code != DFRS_DONE) {
    log.verbose("cannot {} job {} now: {}", kind_name(operation.kind), job->id, reason_of(result));
  }
  if (result.code == DFRS_DONE && operation.kind != DFRS_OP_COMMENT && operation.kind != DFRS_OP_END_TIME) {
    effects.state_changed = true;
    job->busy_since = 0;
  }
  switch (operation.kind) {
    case DFRS_OP_START:
    case DFRS_OP_RESUME:
      if (result.code == DFRS_DONE) {
        job->refusals = 0;
        job->refusal.clear();
        if (job->requeued_to_move > 0) effects.restarts_took.push_back(now - job->requeued_to_move);
        job->requeued_to_move = 0;
        if (operation.kind == DFRS_OP_RESUME) {
          job->phase = DFRS_JOB_RUNNING;
          give_yield(*job, now, job->yield, effects.confirm_raises);
          job->suspend_not_before = std::max(job->suspended_at + kSuspendTakes, now) + kResumeTakes;
        } else if (result.job_id != 0 && result.job_id != job->id) {
          started(split_off(*job, result.job_id, books), now);
        } else {
          started(*job, now);
        }
      } else if (refused) {
        back_off_from(*job, result, result.code == DFRS_REFUSED, now);
      } else {
        // Busy, or no longer what it was: the next snapshot shows. Not for ever, though.
        if (job->busy_since == 0) job->busy_since = now;
        job->refusal = reason_of(result);
        if (now - job->busy_since > kBusyPatience) back_off_from(*job, result, false, now);
      }
      break;
    case DFRS_OP_SUSPEND:
      if (result.code == DFRS_DONE) {
        job->phase = DFRS_JOB_SUSPENDED;
        job->keeps_memory = false;
        job->suspended_at = now;
        job->flags &= ~std::uint32_t{DFRS_JOB_USER_SUSPENDED};
        stop_clock(job->clock, now);
        ++job->pauses;
        effects.swap_promised = true;
      } else if (refused) {
        job->suspend_refused = job->to_resync = true;
      }
      break;
    case DFRS_OP_REQUEUE:
      if (result.code == DFRS_DONE) {
        const bool pause = job->wish == Wish::paused;
        if (pause && job->running()) ++job->pauses;
        end_run(*job, config, now, totals);
        job->phase = DFRS_JOB_REQUEUING;
        ++job->restarts;
        job->requeue_asked = false;
        job->requeued_by_us = true;
        job->requeue_begin_time = 0;
        job->start_not_before = now + kCredentialWait;
        if (pause) job->way = PauseWay::none;
        job->requeued_to_move = pause ? 0 : now;
      } else if (refused) {
        job->requeue_refused = job->to_resync = true;
        job->requeue_asked = false;
      } else {
        job->requeue_asked = false;
      }
      break;
    case DFRS_OP_END_TIME:
      if (result.code == DFRS_DONE) {
        job->end_time = operation.end_time;
      } else if (refused) {
        job->end_time_retry = now + 60;
      }
      break;
    case DFRS_OP_COMMENT:
      if (result.code == DFRS_DONE) job->comment = operation.text != nullptr ? operation.text : "";
      break;
  }
}

}  // namespace dfrs::shim
