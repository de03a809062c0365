// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/results.h"

#include <algorithm>
#include <cstring>

#include "shim/controller/backoff.h"
#include "shim/controller/clock.h"
#include "shim/controller/lifecycle.h"
#include "shim/controller/timing.h"

namespace dfrs::shim {
namespace {

std::string verb_of(dfrs_operation_kind kind) {
  const std::string name = dfrs_operation_name(kind);
  return kind == DFRS_OP_END_TIME || kind == DFRS_OP_COMMENT ? "set the " + name + " of" : name;
}

std::string reason_of(const dfrs_result& result) {
  std::string reason(result.reason, strnlen(result.reason, sizeof(result.reason)));
  return reason.empty() ? "no reason given" : reason;
}

// A task of an array was split off as a job of its own. It gets the slot of the array's record.
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
  // The record now stands for the rest of the array, which the next snapshot shows.
  array.id = array_id;
  array.desired.clear();
  array.policy.known = false;
  array.requeue.by_us = false;
  array.attempts.busy_since = 0;
  array.attempts.refusals = 0;
  return task;
}

void begin_run(Job& job, Seconds now, bool confirm) {
  if (job.history.first_start == 0) {
    job.history.first_start = now;
  } else if (!job.facts.last_nodes.empty() && job.facts.last_nodes != job.desired.nodes) {
    ++job.history.moves;
  }
  job.facts.phase = DFRS_JOB_RUNNING;
  job.facts.nodes = job.desired.nodes;
  job.progress.run_base = job.progress.clock.at(now);
  grant_first_yield(job, now, job.desired.yield, confirm);
  job.spare_launch(kSuspendAfterStart, now);
  job.requeue.by_us = false;
  job.requeue.begin_time = 0;
  job.facts.end_time = 0;
  job.need.samples.clear();
}

// Withdraws the job from the policy for a while, longer with each refusal in a row.
void back_off_from(Job& job, const dfrs_result& result, bool refused, Seconds now) {
  ++job.attempts.refusals;
  job.attempts.retry_at = now + (refused ? back_off(job.attempts.refusals, kRefusedFirst, kRefusedLast)
                                         : back_off(job.attempts.refusals, kBlockedFirst, kBlockedLast));
  job.attempts.reason = reason_of(result);
  job.policy.must_leave = true;
  job.requeue.moving_since = 0;  // this wait is not part of the move
  // No job is to be paused for a start that may be refused again.
  job.policy.enters_without_event = true;
  job.attempts.busy_since = 0;
}

void log_result(const dfrs_operation& operation, const dfrs_result& result, const Log& log) {
  const std::string kind = verb_of(operation.kind);
  const std::uint32_t id = operation.key.job_id;
  if (result.code == DFRS_REFUSED) {
    log.warn("cannot {} job {}: {}", kind, id, reason_of(result));
  } else if (result.code != DFRS_DONE) {
    log.verbose("cannot {} job {} now: {}", kind, id, reason_of(result));
  }
}

bool is_refusal(const dfrs_result& result) { return result.code == DFRS_REFUSED || result.code == DFRS_BLOCKED; }

// START, RESUME.
void start_succeeded(Job& job, ResultEffects& effects, Seconds now) {
  job.attempts.refusals = 0;
  job.attempts.reason.clear();
  if (job.requeue.moving_since > 0) effects.restarts_took.push_back(now - job.requeue.moving_since);
  job.requeue.moving_since = 0;
}

void start_failed(Job& job, const dfrs_result& result, Seconds now) {
  if (is_refusal(result)) {
    back_off_from(job, result, result.code == DFRS_REFUSED, now);
    return;
  }
  // Busy or stale: the next snapshot shows which. Patience has a limit.
  if (job.attempts.busy_since == 0) job.attempts.busy_since = now;
  job.attempts.reason = reason_of(result);
  if (now - job.attempts.busy_since > kBusyPatience) back_off_from(job, result, false, now);
}

void apply_start(Job& job, const dfrs_result& result, JobTable& jobs, ResultEffects& effects, Seconds now) {
  if (result.code != DFRS_DONE) return start_failed(job, result, now);
  start_succeeded(job, effects, now);
  const bool is_task = result.job_id != 0 && result.job_id != job.id;
  Job& started = is_task ? split_off_task(job, result.job_id, jobs) : job;
  begin_run(started, now, effects.confirm_raises);
  if (is_task) effects.tasks_split_off.push_back(&started);
}

void apply_resume(Job& job, const dfrs_result& result, ResultEffects& effects, Seconds now) {
  if (result.code != DFRS_DONE) return start_failed(job, result, now);
  start_succeeded(job, effects, now);
  job.facts.phase = DFRS_JOB_RUNNING;
  grant_yield(job, now, job.desired.yield, effects.confirm_raises);
  job.pausing.suspend_not_before = std::max(job.pausing.suspended_at + kSuspendTakes, now) + kResumeTakes;
}

void apply_suspend(Job& job, const dfrs_result& result, ResultEffects& effects, Seconds now) {
  if (is_refusal(result)) job.pausing.suspend_refused = job.policy.contradicted = true;
  if (result.code != DFRS_DONE) return;
  job.facts.phase = DFRS_JOB_SUSPENDED;
  job.facts.flags &= ~std::uint32_t{DFRS_JOB_USER_SUSPENDED};
  job.facts.keeps_memory = false;
  job.pausing.suspended_at = now;
  stop_clock(job.progress.clock, now);
  ++job.history.pauses;
  effects.swap_promised = true;
}

void apply_requeue(Job& job, const dfrs_result& result, const Config& config, Totals& totals, Seconds now) {
  job.requeue.asked = false;
  if (is_refusal(result)) job.pausing.requeue_refused = job.policy.contradicted = true;
  if (result.code != DFRS_DONE) return;
  const bool is_pause = job.desired.state == DesiredState::paused;
  if (is_pause && job.running()) ++job.history.pauses;
  end_run(job, config, now, totals);
  job.facts.phase = DFRS_JOB_REQUEUING;
  ++job.restarts;
  job.requeue.by_us = true;
  job.requeue.begin_time = 0;
  job.requeue.start_not_before = now + kCredentialWait;
  job.requeue.moving_since = is_pause ? 0 : now;
  if (is_pause) job.desired.pause_way = PauseWay::none;
}

void apply_end_time(Job& job, const dfrs_operation& operation, const dfrs_result& result, Seconds now) {
  if (result.code == DFRS_DONE) {
    job.facts.end_time = operation.end_time;
  } else if (is_refusal(result)) {
    job.requests.end_time_retry = now + kEndTimeRetry;
  }
}

void apply_comment(Job& job, const dfrs_operation& operation, const dfrs_result& result) {
  if (result.code == DFRS_DONE) job.facts.comment = operation.text != nullptr ? operation.text : "";
}

}  // namespace

void apply_result(const dfrs_operation& operation, const dfrs_result& result, Seconds now, const Config& config,
                  const Log& log, JobTable& jobs, Totals& totals, ResultEffects& effects) {
  Job* job = jobs.find(operation.key.job_id);
  if (job == nullptr) return;
  log_result(operation, result, log);
  const bool of_attributes = operation.kind == DFRS_OP_COMMENT || operation.kind == DFRS_OP_END_TIME;
  if (result.code == DFRS_DONE && !of_attributes) {
    effects.state_changed = true;
    job->attempts.busy_since = 0;
  }
  switch (operation.kind) {
    case DFRS_OP_START:
      return apply_start(*job, result, jobs, effects, now);
    case DFRS_OP_RESUME:
      return apply_resume(*job, result, effects, now);
    case DFRS_OP_SUSPEND:
      return apply_suspend(*job, result, effects, now);
    case DFRS_OP_REQUEUE:
      return apply_requeue(*job, result, config, totals, now);
    case DFRS_OP_END_TIME:
      return apply_end_time(*job, operation, result, now);
    case DFRS_OP_COMMENT:
      return apply_comment(*job, operation, result);
  }
}

}  // namespace dfrs::shim
