// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/observer.h"

#include <algorithm>
#include <cmath>

#include "shim/controller/clock.h"
#include "shim/controller/comment_tag.h"
#include "shim/controller/identity.h"
#include "shim/controller/pause_rules.h"
#include "shim/controller/timing.h"

namespace dfrs::shim {
namespace {

// assign() without an allocation where nothing has changed, which is nearly always.
void update(std::string& mine, const char* value) {
  if (value == nullptr) value = "";
  if (mine != value) mine = value;
}

bool begin_time_stands(const Job& job, Seconds now) {
  if (static_cast<Seconds>(job.begin_time) <= now) return false;
  // Slurm's wait after a requeue of ours is ours to lift, unless someone has set another time since.
  return !(job.requeued_by_us && job.begin_time == job.requeue_begin_time);
}

// A job that is met in its first run, without a word about it in our state. Slurm's comment outlives our state: what a
// lost or damaged file held is in the tag, or nearly so (the tag lags). Without one the job counts as just begun: its
// limit is then measured from now, late rather than early, and it is not requeued before it has gained MinProgress.
void take_clock_from_tag(Job& job, Seconds now) {
  const auto tag = find_tag(job.comment);
  if (job.started == 0 && job.restarts == 0 && tag) reset_clock(job.clock, now, tag->virtual_time);
}

}  // namespace

bool policy_may_have(const Job& job, Seconds now) {
  switch (job.phase) {
    case DFRS_JOB_PENDING:
      return job.retry_at <= now && !begin_time_stands(job, now);
    case DFRS_JOB_REQUEUING:  // others' requeues end with a begin time that is not ours to lift
      return job.retry_at <= now && job.requeued_by_us;
    case DFRS_JOB_RUNNING:
      return true;
    case DFRS_JOB_SUSPENDED:
      return !job.user_suspended() && job.retry_at <= now;
    case DFRS_JOB_BLOCKED:
    case DFRS_JOB_ENDING:
      return false;
  }
  return false;
}

Seconds policy_may_have_at(const Job& job) {
  if (job.phase == DFRS_JOB_PENDING) {
    const Seconds begin = static_cast<Seconds>(job.begin_time);
    return begin_time_stands(job, job.retry_at) ? std::max(job.retry_at, begin) : job.retry_at;
  }
  if ((job.phase == DFRS_JOB_REQUEUING && job.requeued_by_us) || job.suspended()) return job.retry_at;
  return kNever;
}

void end_run(Job& job, const Config& config, Seconds now, Totals& totals) {
  const Seconds gained = job.virtual_time(now);
  if (checkpoints(job, config)) {
    stop_clock(job.clock, now);
  } else {
    ++job.lost_runs;
    job.lost_work += gained;
    ++totals.lost_runs;
    totals.lost_work += gained;
    reset_clock(job.clock, now, 0);
  }
  job.run_base = job.clock.base;
  if (!job.at.empty()) job.last_at = std::move(job.at);
  job.at.clear();
  job.suspend_refused = job.requeue_refused = false;
  job.end_time_asked = 0;
}

void leave_engine(Job& job, Books& books, Changes& changes) {
  if (job.in_engine()) {
    changes.completed.push_back(job.slot);
    books.close_slot(job);
  }
  job.wish = Wish::none;
  job.way = PauseWay::none;
  job.target.clear();
  job.leave = job.to_resync = false;
  job.busy_since = 0;
}

void Observer::observe(const dfrs_snapshot& snapshot, bool same_nodes, SavedState& saved, Totals& totals, Books& books,
                       Changes& changes) {
  ++snapshots_;
  for (std::size_t k = 0; k < snapshot.job_count; ++k) {
    const dfrs_job& seen = snapshot.jobs[k];
    const JobIdentity now{seen.user_id, seen.key.restarts, seen.key.submit};
    Job* job = books.find(seen.key.job_id);
    if (job != nullptr && !same_job({job->user, job->restarts, job->submit}, now)) {
      leave_engine(*job, books, changes);
      changes.entering.erase(std::remove(changes.entering.begin(), changes.entering.end(), job),
                             changes.entering.end());
      books.remove(job->id);
      job = nullptr;
    }
    bool restored = false;
    if (job == nullptr) {
      if (seen.phase == DFRS_JOB_ENDING) continue;
      job = &books.add(seen.key.job_id);
      job->user = seen.user_id;
      job->restarts = seen.key.restarts;
      job->submit = seen.key.submit;
      if (const auto it = saved.jobs.find(job->id); it != saved.jobs.end()) {
        if (same_job({it->second.user, it->second.restarts, it->second.submit}, now)) {
          restore_job(it->second, *job);
          restored = true;
        }
        saved.jobs.erase(it);
      }
    }
    job->seen = snapshots_;
    observe_one(snapshot, seen, same_nodes && !restored, *job, restored, saved.saved_at, totals, books, changes);
  }
  saved.jobs.clear();  // what was not in the first snapshot is gone
  std::vector<std::uint32_t> gone;
  books.each([&](Job& job) {
    if (job.seen == snapshots_) return;
    leave_engine(job, books, changes);
    gone.push_back(job.id);
  });
  for (std::uint32_t id : gone) books.remove(id);
}

void Observer::read_placement(const dfrs_snapshot& snapshot, const dfrs_job& seen) {
  placement_.clear();
  for (std::uint32_t k = 0; k < seen.node_count; ++k) {
    if (seen.nodes[k] < snapshot.node_count) placement_.insert(placement_.end(), seen.node_tasks[k], seen.nodes[k]);
  }
}

// What the policy goes by in placing the job. True if it has changed.
bool Observer::take_requirements(const dfrs_snapshot& snapshot, const dfrs_job& seen, Job& job) {
  const bool placed = seen.phase == DFRS_JOB_RUNNING || seen.phase == DFRS_JOB_SUSPENDED;
  // A running job is what it is: Slurm may have given it another number of tasks than the job asks for in the queue.
  const auto tasks = placed && !placement_.empty() ? static_cast<std::uint32_t>(placement_.size()) : seen.tasks;
  const std::size_t words = seen.eligible != nullptr ? (snapshot.node_count + 63) / 64 : 0;
  const bool other_nodes = job.mask.size() != words || !std::equal(job.mask.begin(), job.mask.end(), seen.eligible);
  const bool exclusive = (seen.flags & DFRS_JOB_EXCLUSIVE) != 0;
  const bool other_size =
      job.tasks != tasks || job.cpus_per_task != seen.cpus_per_task || job.memory_per_task != seen.memory_per_task;
  job.tasks = std::max(tasks, 1u);
  job.cpus_per_task = std::max(seen.cpus_per_task, 1u);
  job.memory_per_task = seen.memory_per_task;
  if (other_nodes) {
    job.mask.assign(seen.eligible, seen.eligible + words);
    job.eligible = NodeSet(snapshot.node_count);
    for (NodeIndex n = 0; words != 0 && n < snapshot.node_count; ++n) {
      if (((job.mask[n / 64] >> (n % 64)) & 1) != 0) job.eligible.insert(n);
    }
  }
  if (placed) return other_size;
  const bool other_sharing = job.exclusive != exclusive;
  job.exclusive = exclusive;
  return other_size || other_nodes || other_sharing;
}

void Observer::take_facts(const dfrs_snapshot& snapshot, const dfrs_job& seen, Job& job) {
  job.restarts = seen.key.restarts;
  job.submit = seen.key.submit;
  job.flags = seen.flags;
  job.phase = seen.phase;
  job.time_limit = seen.time_limit;
  job.begin_time = seen.begin_time;
  job.end_time = seen.end_time;
  job.priority = seen.priority;
  job.qos_priority = seen.qos_priority;
  job.fair_share = seen.fair_share;
  update(job.name, seen.name);
  update(job.partition, seen.partition);
  update(job.comment, seen.comment);
  update(job.blocked_reason, seen.blocked_reason);
  if (job.phase == DFRS_JOB_PENDING && job.requeued_by_us && job.requeue_begin_time == 0) {
    job.requeue_begin_time = seen.begin_time;  // the clean-up is over: this is Slurm's
  }
  const bool released = seen.phase != DFRS_JOB_BLOCKED && !begin_time_stands(job, snapshot.now);
  if (job.release == 0 && released) {
    const std::int64_t since = seen.eligible_time != 0 ? seen.eligible_time : seen.key.submit;
    job.release = std::min(static_cast<Seconds>(since), snapshot.now);
  }
}

void Observer::observe_one(const dfrs_snapshot& snapshot, const dfrs_job& seen, bool same_nodes, Job& job,
                           bool restored, Seconds saved_at, Totals& totals, Books& books, Changes& changes) {
  const Seconds now = snapshot.now;
  const bool held_nodes = job.running() || job.phase == DFRS_JOB_SUSPENDED;
  const bool was_running = job.running();
  const bool was_suspended = job.phase == DFRS_JOB_SUSPENDED;
  const bool new_run = seen.key.restarts != job.restarts;
  const bool queued = seen.phase == DFRS_JOB_PENDING || seen.phase == DFRS_JOB_REQUEUING;
  const bool cleaned_up = (held_nodes || job.phase == DFRS_JOB_REQUEUING) &&
                          (seen.phase == DFRS_JOB_PENDING || seen.phase == DFRS_JOB_BLOCKED);
  if (restored) job.enter_quietly = job.known_to_policy;
  if (restored && !new_run) job.requeue_again = job.requeue_asked && job.requeue_asked_of == job.restarts;

  update(job.comment, seen.comment);  // its marks say whether work is lost
  job.flags = (job.flags & ~std::uint32_t{DFRS_JOB_CHECKPOINTS}) | (seen.flags & DFRS_JOB_CHECKPOINTS);
  update(job.partition, seen.partition);

  const bool run_ended = held_nodes && (new_run || queued || seen.phase == DFRS_JOB_BLOCKED);
  bool ended_by_others = false;
  if (run_ended || new_run) {
    const bool by_us =
        new_run && job.requeue_asked && job.requeue_asked_of == job.restarts && seen.key.restarts == job.restarts + 1;
    if (run_ended) end_run(job, *config_, now, totals);
    job.requeued_by_us = by_us && (queued || seen.phase == DFRS_JOB_BLOCKED);
    job.requeue_asked = job.requeue_again = false;
    job.requeue_begin_time = 0;
    if (by_us) job.start_not_before = std::max(job.start_not_before, now + kCredentialWait);
    ended_by_others = run_ended && !by_us;
    if (ended_by_others) {
      log_->verbose("job {}: its run was ended by others (a node failed, or someone requeued it){}", seen.key.job_id,
                    checkpoints(job, *config_) ? "" : "; its work so far is lost");
    }
  }

  if (cleaned_up) job.start_not_before = std::max(job.start_not_before, std::floor(now) + 1);

  read_placement(snapshot, seen);
  const bool changed = take_requirements(snapshot, seen, job);
  take_facts(snapshot, seen, job);
  if (job.leave) leave_engine(job, books, changes);

  switch (job.phase) {
    case DFRS_JOB_ENDING:
      stop_clock(job.clock, now);
      if (!job.at.empty()) job.last_at = std::move(job.at);
      job.at.clear();
      leave_engine(job, books, changes);
      break;
    case DFRS_JOB_BLOCKED:
      leave_engine(job, books, changes);
      break;
    case DFRS_JOB_PENDING:
    case DFRS_JOB_REQUEUING: {
      // A policy that wanted it paused has what it wanted; else it must hear that the run is over.
      const bool contradicted = ended_by_others && job.wish == Wish::running;
      if (job.in_engine() && (contradicted || changed || !policy_may_have(job, now))) {
        leave_engine(job, books, changes);
      }
      if (!job.in_engine() && policy_may_have(job, now)) changes.entering.push_back(&job);
      break;
    }
    case DFRS_JOB_RUNNING: {
      if (restored) {
        job.clock.since = std::min(job.clock.since, now);
        job.given = job.yield;
        job.suspend_not_before = now + kSuspendTakes + kResumeTakes;  // what was asked for last is not known
      }
      const bool same_run = was_running && !run_ended;
      if (!same_run) {
        if (!was_suspended || run_ended) {
          job.run_base = job.clock.at(now);
          if (!restored) take_clock_from_tag(job, now);
        }
        set_rate(job.clock, now, job.yield);
        job.given = job.yield;
        job.raise_unconfirmed = false;
        job.requeued_by_us = false;
        if (now > job.suspend_not_before) job.suspend_not_before = now + kSuspendTakes + kResumeTakes;
      }
      if (job.started == 0) job.started = now;
      if (!held_nodes || run_ended || restored) job.exclusive = (seen.flags & DFRS_JOB_EXCLUSIVE) != 0;
      const bool moved = job.at != placement_;
      job.at = placement_;
      const bool as_wished = job.wish == Wish::running && job.target == job.at;
      if (job.at.empty()) {  // on nodes that are not ours any more: nothing that could be shown to the policy
        leave_engine(job, books, changes);
      } else if (!job.in_engine()) {
        changes.resync = true;
      } else if (!same_nodes || changed || (moved && !as_wished) || (!same_run && !as_wished)) {
        job.to_resync = true;
      }
      break;
    }
    case DFRS_JOB_SUSPENDED:
      if (was_running) {
        if (restored) {
          reset_clock(job.clock, now, job.clock.at(std::max(saved_at, job.clock.since)));
        } else {
          stop_clock(job.clock, now);
        }
      }
      if (!restored && !held_nodes) take_clock_from_tag(job, now);
      if (job.started == 0) job.started = now;
      if (!held_nodes || run_ended || restored) job.exclusive = (seen.flags & DFRS_JOB_EXCLUSIVE) != 0;
      if (!same_nodes || changed || job.at != placement_) {
        if (job.in_engine()) job.to_resync = true;
        job.at = placement_;
      }
      if (!was_suspended) job.keeps_memory = job.user_suspended();
      if (job.user_suspended() || job.at.empty()) {
        leave_engine(job, books, changes);
      } else if (!job.in_engine() && policy_may_have(job, now)) {
        changes.suspended_outside = true;
      }
      break;
  }
  if (job.to_resync) changes.resync = true;
}

}  // namespace dfrs::shim
