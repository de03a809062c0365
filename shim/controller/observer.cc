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
  if (static_cast<Seconds>(job.facts.begin_time) <= now) return false;
  // Slurm's wait after a requeue of ours is ours to lift, unless someone has set another time since.
  return !(job.requeue.by_us && job.facts.begin_time == job.requeue.begin_time);
}

// A job that is met in its first run, without a word about it in our state. Slurm's comment outlives our state: what a
// lost or damaged file held is in the tag, or nearly so (the tag lags). Without one the job counts as just begun: its
// limit is then measured from now, late rather than early, and it is not requeued before it has gained MinProgress.
void take_clock_from_tag(Job& job, Seconds now) {
  const auto tag = find_tag(job.facts.comment);
  if (job.history.first_start == 0 && job.restarts == 0 && tag) reset_clock(job.progress.clock, now, tag->virtual_time);
}

}  // namespace

bool available_to_policy(const Job& job, Seconds now) {
  switch (job.facts.phase) {
    case DFRS_JOB_PENDING:
      return job.attempts.retry_at <= now && !begin_time_stands(job, now);
    case DFRS_JOB_REQUEUING:  // others' requeues end with a begin time that is not ours to lift
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
  if (job.facts.phase == DFRS_JOB_PENDING) {
    const Seconds begin = static_cast<Seconds>(job.facts.begin_time);
    return begin_time_stands(job, job.attempts.retry_at) ? std::max(job.attempts.retry_at, begin)
                                                         : job.attempts.retry_at;
  }
  if ((job.facts.phase == DFRS_JOB_REQUEUING && job.requeue.by_us) || job.suspended()) return job.attempts.retry_at;
  return kNever;
}

void end_run(Job& job, const Config& config, Seconds now, Totals& totals) {
  const Seconds gained = job.virtual_time(now);
  if (checkpoints(job, config)) {
    stop_clock(job.progress.clock, now);
  } else {
    ++job.history.lost_runs;
    job.history.lost_work += gained;
    ++totals.lost_runs;
    totals.lost_work += gained;
    reset_clock(job.progress.clock, now, 0);
  }
  job.progress.run_base = job.progress.clock.base;
  if (!job.facts.nodes.empty()) job.facts.last_nodes = std::move(job.facts.nodes);
  job.facts.nodes.clear();
  job.pausing.suspend_refused = job.pausing.requeue_refused = false;
}

void withdraw_from_policy(Job& job, JobTable& jobs, Changes& changes) {
  if (job.in_engine()) {
    changes.completed.push_back(job.policy.slot);
    jobs.close_slot(job);
  }
  job.desired.state = DesiredState::none;
  job.desired.pause_way = PauseWay::none;
  job.desired.nodes.clear();
  job.policy.must_leave = job.policy.contradicted = false;
  job.attempts.busy_since = 0;
}

void Observer::observe(const dfrs_snapshot& snapshot, bool same_nodes, SavedState& saved, Totals& totals,
                       JobTable& jobs, Changes& changes) {
  ++snapshots_;
  for (std::size_t k = 0; k < snapshot.job_count; ++k) {
    const dfrs_job& seen = snapshot.jobs[k];
    const JobIdentity now{seen.user_id, seen.key.restarts, seen.key.submit};
    Job* job = jobs.find(seen.key.job_id);
    if (job != nullptr && !same_job({job->user, job->restarts, job->submit}, now)) {
      withdraw_from_policy(*job, jobs, changes);
      changes.entering.erase(std::remove(changes.entering.begin(), changes.entering.end(), job),
                             changes.entering.end());
      jobs.remove(job->id);
      job = nullptr;
    }
    bool restored = false;
    if (job == nullptr) {
      if (seen.phase == DFRS_JOB_ENDING) continue;
      job = &jobs.add(seen.key.job_id);
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
    job->facts.snapshot = snapshots_;
    observe_one(snapshot, seen, same_nodes && !restored, *job, restored, saved.saved_at, totals, jobs, changes);
  }
  saved.jobs.clear();  // what was not in the first snapshot is gone
  std::vector<std::uint32_t> gone;
  jobs.each([&](Job& job) {
    if (job.facts.snapshot == snapshots_) return;
    withdraw_from_policy(job, jobs, changes);
    gone.push_back(job.id);
  });
  for (std::uint32_t id : gone) jobs.remove(id);
}

void Observer::read_placement(const dfrs_snapshot& snapshot, const dfrs_job& seen) {
  placement_.clear();
  for (std::uint32_t k = 0; k < seen.node_count; ++k) {
    if (seen.nodes[k] < snapshot.node_count) placement_.insert(placement_.end(), seen.node_tasks[k], seen.nodes[k]);
  }
}

// What the policy goes by in placing the job. True if it has changed.
bool Observer::update_requirements(const dfrs_snapshot& snapshot, const dfrs_job& seen, Job& job) {
  const bool placed = seen.phase == DFRS_JOB_RUNNING || seen.phase == DFRS_JOB_SUSPENDED;
  // A running job is what it is: Slurm may have given it another number of tasks than the job asks for in the queue.
  const auto tasks = placed && !placement_.empty() ? static_cast<std::uint32_t>(placement_.size()) : seen.tasks;
  const std::size_t words = seen.eligible != nullptr ? (snapshot.node_count + 63) / 64 : 0;
  const bool other_nodes = job.facts.eligible_mask.size() != words ||
                           !std::equal(job.facts.eligible_mask.begin(), job.facts.eligible_mask.end(), seen.eligible);
  const bool exclusive = (seen.flags & DFRS_JOB_EXCLUSIVE) != 0;
  const bool other_size = job.facts.tasks != tasks || job.facts.cpus_per_task != seen.cpus_per_task ||
                          job.facts.memory_per_task != seen.memory_per_task;
  job.facts.tasks = std::max(tasks, 1u);
  job.facts.cpus_per_task = std::max(seen.cpus_per_task, 1u);
  job.facts.memory_per_task = seen.memory_per_task;
  if (other_nodes) {
    job.facts.eligible_mask.assign(seen.eligible, seen.eligible + words);
    job.facts.eligible_nodes = NodeSet(snapshot.node_count);
    for (NodeIndex n = 0; words != 0 && n < snapshot.node_count; ++n) {
      if (((job.facts.eligible_mask[n / 64] >> (n % 64)) & 1) != 0) job.facts.eligible_nodes.insert(n);
    }
  }
  if (placed) return other_size;
  const bool other_sharing = job.facts.exclusive != exclusive;
  job.facts.exclusive = exclusive;
  return other_size || other_nodes || other_sharing;
}

void Observer::update_facts(const dfrs_snapshot& snapshot, const dfrs_job& seen, Job& job) {
  job.restarts = seen.key.restarts;
  job.submit = seen.key.submit;
  job.facts.flags = seen.flags;
  job.facts.phase = seen.phase;
  job.facts.time_limit = seen.time_limit;
  job.facts.begin_time = seen.begin_time;
  job.facts.end_time = seen.end_time;
  job.facts.priority = seen.priority;
  job.facts.qos_priority = seen.qos_priority;
  job.facts.fair_share = seen.fair_share;
  update(job.facts.name, seen.name);
  update(job.facts.partition, seen.partition);
  update(job.facts.comment, seen.comment);
  update(job.facts.blocked_reason, seen.blocked_reason);
  if (job.facts.phase == DFRS_JOB_PENDING && job.requeue.by_us && job.requeue.begin_time == 0) {
    job.requeue.begin_time = seen.begin_time;  // the clean-up is over: this is Slurm's
  }
  const bool released = seen.phase != DFRS_JOB_BLOCKED && !begin_time_stands(job, snapshot.now);
  if (job.history.release == 0 && released) {
    const std::int64_t since = seen.eligible_time != 0 ? seen.eligible_time : seen.key.submit;
    job.history.release = std::min(static_cast<Seconds>(since), snapshot.now);
  }
}

void Observer::observe_one(const dfrs_snapshot& snapshot, const dfrs_job& seen, bool same_nodes, Job& job,
                           bool restored, Seconds saved_at, Totals& totals, JobTable& jobs, Changes& changes) {
  const Seconds now = snapshot.now;
  const bool held_nodes = job.running() || job.facts.phase == DFRS_JOB_SUSPENDED;
  const bool was_running = job.running();
  const bool was_suspended = job.facts.phase == DFRS_JOB_SUSPENDED;
  const bool new_run = seen.key.restarts != job.restarts;
  const bool queued = seen.phase == DFRS_JOB_PENDING || seen.phase == DFRS_JOB_REQUEUING;
  const bool cleaned_up = (held_nodes || job.facts.phase == DFRS_JOB_REQUEUING) &&
                          (seen.phase == DFRS_JOB_PENDING || seen.phase == DFRS_JOB_BLOCKED);
  if (restored) job.policy.enters_paused = job.policy.known;
  if (restored && !new_run) job.requeue.ask_again = job.requeue.asked && job.requeue.asked_of_run == job.restarts;

  update(job.facts.comment, seen.comment);  // its marks say whether work is lost
  job.facts.flags = (job.facts.flags & ~std::uint32_t{DFRS_JOB_CHECKPOINTS}) | (seen.flags & DFRS_JOB_CHECKPOINTS);
  update(job.facts.partition, seen.partition);

  const bool run_ended = held_nodes && (new_run || queued || seen.phase == DFRS_JOB_BLOCKED);
  bool ended_by_others = false;
  if (run_ended || new_run) {
    const bool by_us = new_run && job.requeue.asked && job.requeue.asked_of_run == job.restarts &&
                       seen.key.restarts == job.restarts + 1;
    if (run_ended) end_run(job, *config_, now, totals);
    job.requeue.by_us = by_us && (queued || seen.phase == DFRS_JOB_BLOCKED);
    job.requeue.asked = job.requeue.ask_again = false;
    job.requeue.begin_time = 0;
    if (by_us) job.requeue.start_not_before = std::max(job.requeue.start_not_before, now + kCredentialWait);
    ended_by_others = run_ended && !by_us;
    if (ended_by_others) {
      log_->verbose("job {}: its run was ended by others (a node failed, or someone requeued it){}", seen.key.job_id,
                    checkpoints(job, *config_) ? "" : "; its work so far is lost");
    }
  }

  if (cleaned_up) job.requeue.start_not_before = std::max(job.requeue.start_not_before, std::floor(now) + 1);

  read_placement(snapshot, seen);
  const bool changed = update_requirements(snapshot, seen, job);
  update_facts(snapshot, seen, job);
  if (job.policy.must_leave) withdraw_from_policy(job, jobs, changes);

  switch (job.facts.phase) {
    case DFRS_JOB_ENDING:
      stop_clock(job.progress.clock, now);
      if (!job.facts.nodes.empty()) job.facts.last_nodes = std::move(job.facts.nodes);
      job.facts.nodes.clear();
      withdraw_from_policy(job, jobs, changes);
      break;
    case DFRS_JOB_BLOCKED:
      withdraw_from_policy(job, jobs, changes);
      break;
    case DFRS_JOB_PENDING:
    case DFRS_JOB_REQUEUING: {
      // A policy that wanted it paused has what it wanted; else it must hear that the run is over.
      const bool contradicted = ended_by_others && job.desired.state == DesiredState::running;
      if (job.in_engine() && (contradicted || changed || !available_to_policy(job, now))) {
        withdraw_from_policy(job, jobs, changes);
      }
      if (!job.in_engine() && available_to_policy(job, now)) changes.entering.push_back(&job);
      break;
    }
    case DFRS_JOB_RUNNING: {
      if (restored) {
        job.progress.clock.since = std::min(job.progress.clock.since, now);
        job.progress.granted_yield = job.desired.yield;
        job.pausing.suspend_not_before = now + kSuspendTakes + kResumeTakes;  // what was asked for last is not known
      }
      const bool same_run = was_running && !run_ended;
      if (!same_run) {
        if (!was_suspended || run_ended) {
          job.progress.run_base = job.progress.clock.at(now);
          if (!restored) take_clock_from_tag(job, now);
        }
        set_rate(job.progress.clock, now, job.desired.yield);
        job.progress.granted_yield = job.desired.yield;
        job.progress.raise_unconfirmed = false;
        job.requeue.by_us = false;
        if (now > job.pausing.suspend_not_before) job.pausing.suspend_not_before = now + kSuspendTakes + kResumeTakes;
      }
      if (job.history.first_start == 0) job.history.first_start = now;
      if (!held_nodes || run_ended || restored) job.facts.exclusive = (seen.flags & DFRS_JOB_EXCLUSIVE) != 0;
      const bool moved = job.facts.nodes != placement_;
      job.facts.nodes = placement_;
      const bool as_wished = job.desired.state == DesiredState::running && job.desired.nodes == job.facts.nodes;
      if (job.facts.nodes.empty()) {  // on nodes that are not ours any more: nothing that could be shown to the policy
        withdraw_from_policy(job, jobs, changes);
      } else if (!job.in_engine()) {
        changes.resync = true;
      } else if (!same_nodes || changed || (moved && !as_wished) || (!same_run && !as_wished)) {
        job.policy.contradicted = true;
      }
      break;
    }
    case DFRS_JOB_SUSPENDED:
      if (was_running) {
        if (restored) {
          reset_clock(job.progress.clock, now, job.progress.clock.at(std::max(saved_at, job.progress.clock.since)));
        } else {
          stop_clock(job.progress.clock, now);
        }
      }
      if (!restored && !held_nodes) take_clock_from_tag(job, now);
      if (job.history.first_start == 0) job.history.first_start = now;
      if (!held_nodes || run_ended || restored) job.facts.exclusive = (seen.flags & DFRS_JOB_EXCLUSIVE) != 0;
      if (!same_nodes || changed || job.facts.nodes != placement_) {
        if (job.in_engine()) job.policy.contradicted = true;
        job.facts.nodes = placement_;
      }
      if (!was_suspended) job.facts.keeps_memory = job.user_suspended();
      if (job.user_suspended() || job.facts.nodes.empty()) {
        withdraw_from_policy(job, jobs, changes);
      } else if (!job.in_engine() && available_to_policy(job, now)) {
        changes.suspended_outside = true;
      }
      break;
  }
  if (job.policy.contradicted) changes.resync = true;
}

}  // namespace dfrs::shim
