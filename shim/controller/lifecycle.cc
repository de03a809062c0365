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

void end_run(Job& job, const Config& config, Seconds now, Totals& totals) {
  const Seconds gained = job.virtual_time(now);
  if (checkpoints(job, config)) {
    stop_clock(job.progress.clock, now);
  } else {
    ++job.history.lost_runs;
    job.history.lost_work += gained;
    job.history.longest_run = std::max(job.history.longest_run, gained);
    ++totals.lost_runs;
    totals.lost_work += gained;
    reset_clock(job.progress.clock, now, 0);
  }
  job.progress.run_base = job.progress.clock.base;
  if (!job.facts.nodes.empty()) job.facts.last_nodes = std::move(job.facts.nodes);
  job.facts.nodes.clear();
  job.pausing.suspend_refused = job.pausing.requeue_refused = false;
}

}  // namespace dfrs::shim
