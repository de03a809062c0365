// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/lifecycle.h"

#include <algorithm>
#include <utility>

#include "shim/controller/clock.h"
#include "shim/controller/pause_rules.h"

namespace dfrs::shim {

bool waits_for_begin_time(const Job& job, Seconds now) {
  if (static_cast<Seconds>(job.facts.begin_time) <= now) return false;
  // We may lift the wait after our own requeue, unless someone has set another begin time since.
  return !(job.requeue.by_us && job.facts.begin_time == job.requeue.begin_time);
}

bool available_to_policy(const Job& job, Seconds now) {
  switch (job.facts.phase) {
    case DFRS_JOB_PENDING:
      return job.attempts.retry_at <= now && !waits_for_begin_time(job, now);
    case DFRS_JOB_REQUEUING:  // after others' requeues we must respect the begin time
      return job.attempts.retry_at <= now && job.requeue.by_us;
    case DFRS_JOB_RUNNING:
      return true;
    case DFRS_JOB_SUSPENDED:
      return !job.user_suspended() && job.attempts.retry_at <= now;
    case DFRS_JOB_BLOCKED:
    case DFRS_JOB_ENDING:
      return false;
  }
  return false;
}

Seconds available_at(const Job& job) {
  const Seconds retry = job.attempts.retry_at;
  if (job.facts.phase == DFRS_JOB_PENDING) {
    const Seconds begin = static_cast<Seconds>(job.facts.begin_time);
    return waits_for_begin_time(job, retry) ? std::max(retry, begin) : retry;
  }
  if ((job.facts.phase == DFRS_JOB_REQUEUING && job.requeue.by_us) || job.suspended()) return retry;
  return kNever;
}

void withdraw_from_policy(Job& job, JobTable& jobs, Changes& changes) {
  if (job.in_engine()) {
    changes.completed.push_back(job.policy.slot);
    jobs.close_slot(job);
  }
  job.desired.clear();
  job.policy.must_leave = job.policy.contradicted = false;
  job.attempts.busy_since = 0;
}

namespace {

void count_lost(Job& job, Seconds lost, Totals& totals) {
  ++job.history.lost_runs;
  job.history.lost_work += lost;
  job.history.longest_run = std::max(job.history.longest_run, lost);
  ++totals.lost_runs;
  totals.lost_work += lost;
}

// What becomes of the attempt to checkpoint the run that has ended. True if there are complete images of it.
bool end_attempt(Job& job, Seconds now) {
  Checkpointing& state = job.checkpointing;
  const bool complete = state.complete_for(job.restarts);
  state.last_word = complete ? CheckpointPhase::kDump : CheckpointPhase::kResume;
  // All images may be there, and only we have not seen it yet. Else those of the run before may serve again.
  const bool nearly = state.phase == Checkpointing::Phase::dumping;
  state.written_off = nearly ? Image{state.attempt, job.virtual_time(now)} : state.image;
  state.phase = Checkpointing::Phase::none;
  state.verdict = Checkpointing::Verdict::unknown;
  state.restoring = complete;
  state.restoring_since = 0;
  state.in_doubt = false;
  if (!complete) return false;
  state.written_off = {};
  state.previous = state.image;
  state.image = {state.attempt, job.virtual_time(now)};
  return true;
}

}  // namespace

void end_run(Job& job, const Config& config, Seconds now, Totals& totals) {
  const Seconds gained = job.virtual_time(now);
  if (end_attempt(job, now) || checkpoints(job, config)) {
    stop_clock(job.progress.clock, now);
  } else {
    count_lost(job, gained, totals);
    reset_clock(job.progress.clock, now, 0);
    job.checkpointing.image = job.checkpointing.previous = {};
  }
  job.progress.run_base = job.progress.clock.base;
  if (!job.facts.nodes.empty()) job.facts.last_nodes = std::move(job.facts.nodes);
  job.facts.nodes.clear();
  job.pausing.suspend_refused = job.pausing.requeue_refused = false;
}

void lose_progress(Job& job, Seconds kept, Seconds now, Totals& totals) {
  Progress& progress = job.progress;
  const Seconds lost = progress.run_base - kept;
  count_lost(job, lost, totals);
  progress.clock = {progress.clock.at(now) - lost, now, progress.clock.rate};
  progress.run_base = kept;
}

void regain_progress(Job& job, Seconds progress, Seconds now, Totals& totals) {
  job.history.lost_runs -= std::min(job.history.lost_runs, 1U);
  job.history.lost_work = std::max(0.0, job.history.lost_work - progress);
  totals.lost_runs -= std::min<std::uint64_t>(totals.lost_runs, 1);
  totals.lost_work = std::max(0.0, totals.lost_work - progress);
  job.progress.clock = {job.progress.clock.at(now) + progress, now, job.progress.clock.rate};
  job.progress.run_base += progress;
}

}  // namespace dfrs::shim
