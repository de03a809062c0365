// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/job_observation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "shim/controller/bounds.h"
#include "shim/controller/clock.h"
#include "shim/controller/comment_tag.h"
#include "shim/controller/lifecycle.h"
#include "shim/controller/pause_rules.h"
#include "shim/controller/timing.h"

namespace dfrs::shim {
namespace {

// Nearly always nothing has changed; then this does not allocate.
void update(std::string& mine, const char* value) {
  if (value == nullptr) value = "";
  if (mine != value) mine = value;
}

}  // namespace

JobObservation::JobObservation(const SnapshotContext& context, const dfrs_job& seen, Job& job, bool restored)
    : context_(context),
      seen_(seen),
      job_(job),
      restored_(restored),
      now_(context.snapshot.now),
      was_running_(job.running()),
      was_suspended_(job.facts.phase == DFRS_JOB_SUSPENDED),
      held_nodes_(was_running_ || was_suspended_),
      was_requeuing_(job.facts.phase == DFRS_JOB_REQUEUING),
      was_configuring_(was_running_ && (job.facts.flags & DFRS_JOB_CONFIGURING) != 0),
      new_run_(seen.key.restarts != job.restarts),
      indices_kept_(!context.changes.node_list && !restored),
      waits_(seen.phase == DFRS_JOB_PENDING || seen.phase == DFRS_JOB_REQUEUING) {}

void JobObservation::enter() {
  note_restored_requests();
  read_marks();
  note_end_of_run();
  note_clean_up();
  read_placement();
  read_requirements();
  read_facts();
  note_release();
  if (job_.policy.must_leave) withdraw();
  enter_phase();
  if (job_.policy.contradicted) context_.changes.resync = true;
}

void JobObservation::note_restored_requests() {
  if (!restored_) return;
  job_.policy.enters_without_event = job_.policy.known;
  if (!new_run_) job_.requeue.ask_again = job_.requeue.pending_for(job_.restarts);
}

// The marks that say whether the work of an ended run is lost.
void JobObservation::read_marks() {
  job_.facts.comment = seen_.comment != nullptr ? seen_.comment : "";
  update(job_.facts.partition, seen_.partition);
  constexpr std::uint32_t kMark = DFRS_JOB_CHECKPOINTS;
  job_.facts.flags = (job_.facts.flags & ~kMark) | (seen_.flags & kMark);
}

void JobObservation::note_end_of_run() {
  const bool back_in_queue = waits_ || seen_.phase == DFRS_JOB_BLOCKED;
  run_ended_ = held_nodes_ && (new_run_ || back_in_queue);
  if (!run_ended_ && !new_run_) return;
  const bool by_us = new_run_ && job_.requeue.pending_for(job_.restarts) && seen_.key.restarts == job_.restarts + 1;
  if (run_ended_) end_run(job_, context_.config, now_, context_.totals);
  job_.requeue.by_us = by_us && back_in_queue;
  job_.requeue.asked = job_.requeue.ask_again = false;
  job_.requeue.begin_time = 0;
  if (by_us) job_.requeue.start_not_before = std::max(job_.requeue.start_not_before, now_ + kCredentialWait);
  ended_by_others_ = run_ended_ && !by_us;
  if (!ended_by_others_) return;
  context_.log.verbose("job {}: its run was ended by others (a node failed, or someone requeued it){}", job_.id,
                       checkpoints(job_, context_.config) ? "" : "; its work so far is lost");
}

void JobObservation::note_clean_up() {
  const bool clean = seen_.phase == DFRS_JOB_PENDING || seen_.phase == DFRS_JOB_BLOCKED;
  if (!clean || !(held_nodes_ || was_requeuing_)) return;
  job_.requeue.start_not_before = std::max(job_.requeue.start_not_before, std::floor(now_) + 1);
}

void JobObservation::read_placement() {
  std::vector<NodeIndex>& placement = context_.placement;
  placement.clear();
  bool ascending = true;
  for (std::uint32_t k = 0; k < seen_.node_count; ++k) {
    const NodeIndex node = seen_.nodes[k];
    if (node >= context_.snapshot.node_count) continue;
    ascending = ascending && (placement.empty() || placement.back() <= node);
    placement.insert(placement.end(), seen_.node_tasks[k], node);
  }
  if (!ascending) std::sort(placement.begin(), placement.end());
}

// What the policy needs to place the job.
void JobObservation::read_requirements() {
  JobFacts& facts = job_.facts;
  const std::size_t node_count = context_.snapshot.node_count;
  const bool placed = seen_.phase == DFRS_JOB_RUNNING || seen_.phase == DFRS_JOB_SUSPENDED;
  // A running job may have another number of tasks than it asked for in the queue.
  std::uint32_t tasks = std::max(seen_.tasks, 1u);
  if (placed) {
    const std::size_t there = context_.placement.size();
    tasks = there != 0 ? static_cast<std::uint32_t>(there) : std::min(tasks, kMostTasks);
  }
  const std::uint64_t memory = std::min(seen_.memory_per_task, kMostTaskMemory);
  other_requirements_ =
      facts.tasks != tasks || facts.cpus_per_task != seen_.cpus_per_task || facts.memory_per_task != memory;
  facts.tasks = tasks;
  facts.cpus_per_task = std::max(seen_.cpus_per_task, 1u);
  facts.memory_per_task = memory;

  const std::size_t words = seen_.eligible != nullptr ? (node_count + 63) / 64 : 0;
  const bool other_nodes = facts.eligible_mask.size() != words ||
                           !std::equal(facts.eligible_mask.begin(), facts.eligible_mask.end(), seen_.eligible);
  if (other_nodes) {
    facts.eligible_mask.assign(seen_.eligible, seen_.eligible + words);
    facts.eligible_nodes = NodeSet(node_count);
    for (NodeIndex n = 0; words != 0 && n < node_count; ++n) {
      if (((facts.eligible_mask[n / 64] >> (n % 64)) & 1) != 0) facts.eligible_nodes.insert(n);
    }
  }
  if (placed) return;  // eligible nodes and exclusive use were settled when it started
  const bool exclusive = (seen_.flags & DFRS_JOB_EXCLUSIVE) != 0;
  other_requirements_ = other_requirements_ || other_nodes || facts.exclusive != exclusive;
  facts.exclusive = exclusive;
}

void JobObservation::read_facts() {
  job_.restarts = seen_.key.restarts;
  job_.submit = seen_.key.submit;
  JobFacts& facts = job_.facts;
  facts.flags = seen_.flags;
  facts.phase = seen_.phase;
  facts.time_limit = seen_.time_limit;
  facts.begin_time = seen_.begin_time;
  facts.end_time = seen_.end_time;
  facts.priority = seen_.priority;
  facts.qos_priority = seen_.qos_priority;
  facts.fair_share = seen_.fair_share;
  update(facts.name, seen_.name);
  update(facts.blocked_reason, seen_.blocked_reason);
}

void JobObservation::note_release() {
  if (seen_.phase == DFRS_JOB_PENDING && job_.requeue.by_us && job_.requeue.begin_time == 0) {
    job_.requeue.begin_time = seen_.begin_time;  // set by Slurm at the end of the clean-up
  }
  if (job_.history.release != 0 || seen_.phase == DFRS_JOB_BLOCKED || waits_for_begin_time(job_, now_)) return;
  const std::int64_t since = seen_.eligible_time != 0 ? seen_.eligible_time : seen_.key.submit;
  job_.history.release = std::min(static_cast<Seconds>(since), now_);
}

void JobObservation::enter_phase() {
  switch (seen_.phase) {
    case DFRS_JOB_ENDING:
      return enter_ending();
    case DFRS_JOB_BLOCKED:
      return withdraw();
    case DFRS_JOB_PENDING:
    case DFRS_JOB_REQUEUING:
      return enter_queued();
    case DFRS_JOB_RUNNING:
      return enter_running();
    case DFRS_JOB_SUSPENDED:
      return enter_suspended();
  }
}

void JobObservation::enter_ending() {
  stop_clock(job_.progress.clock, now_);
  if (job_.checkpointing.under_way()) job_.checkpointing.phase = Checkpointing::Phase::resuming;
  if (!job_.facts.nodes.empty()) job_.facts.last_nodes = std::move(job_.facts.nodes);
  job_.facts.nodes.clear();
  withdraw();
}

void JobObservation::enter_queued() {
  // If the policy wanted the job paused, it is. Otherwise the policy must learn that the run is over.
  const bool contradicted = ended_by_others_ && job_.desired.state == DesiredState::running;
  const bool available = available_to_policy(job_, now_);
  if (job_.in_engine() && (contradicted || other_requirements_ || !available)) withdraw();
  if (!job_.in_engine() && available) context_.changes.entering.push_back(&job_);
}

void JobObservation::enter_running() {
  if (restored_) {
    job_.progress.clock.since = std::min(job_.progress.clock.since, now_);
    job_.progress.granted_yield = job_.desired.yield;
    job_.pausing.suspend_not_before = now_ + kSuspendTakes + kResumeTakes;  // the last request is unknown
  }
  if (!was_running_ || run_ended_) begin_run();
  // Its time limit counts from its launch, as Slurm counts it.
  const bool configuring = (seen_.flags & DFRS_JOB_CONFIGURING) != 0;
  if (configuring || (was_configuring_ && !run_ended_)) job_.progress.run_base = job_.progress.clock.at(now_);
  if (was_configuring_ && !configuring) context_.changes.launched.push_back(&job_);
  note_steps();
  note_start();
  compare_running_with_plan();
}

void JobObservation::note_steps() {
  const std::uint32_t known = new_run_ || run_ended_ ? 0 : job_.facts.steps;
  job_.facts.steps = seen_.steps;
  if (seen_.steps == known) return;
  const Seconds progress = job_.virtual_time(now_);
  if (known == 0 || progress >= job_.pausing.launched_at) {
    job_.spare_launch(kSuspendAfterStep, now_);
  } else {
    job_.pausing.launched_at = progress + kSuspendAfterStep;  // the patience counts from the first of these steps
  }
}

// Starts the clock: for a new run, or again after a suspend.
void JobObservation::begin_run() {
  if (!was_suspended_ || run_ended_) {
    job_.progress.run_base = job_.progress.clock.at(now_);
    if (!restored_) read_clock_from_tag();
    job_.spare_launch(kSuspendAfterStart, now_);
  }
  set_rate(job_.progress.clock, now_, job_.desired.yield);
  job_.progress.granted_yield = job_.desired.yield;
  job_.progress.raise_unconfirmed = false;
  job_.requeue.by_us = false;
  if (now_ > job_.pausing.suspend_not_before) job_.pausing.suspend_not_before = now_ + kSuspendTakes + kResumeTakes;
}

void JobObservation::compare_running_with_plan() {
  const bool same_run = was_running_ && !run_ended_;
  const bool moved = job_.facts.nodes != context_.placement;
  if (moved) job_.facts.nodes = context_.placement;
  if (job_.facts.nodes.empty()) {  // none of its nodes is managed any more: the policy has no place for it
    withdraw();
  } else if (!job_.in_engine()) {
    context_.changes.resync = true;
  } else if (!indices_kept_ || other_requirements_ || ((moved || !same_run) && !job_.to_run_in_place())) {
    job_.policy.contradicted = true;
  }
}

void JobObservation::enter_suspended() {
  if (was_running_) stop_clock_of_suspended();
  if (!restored_ && !held_nodes_) read_clock_from_tag();
  note_start();
  if (!indices_kept_ || other_requirements_ || job_.facts.nodes != context_.placement) {
    if (job_.in_engine()) job_.policy.contradicted = true;
    job_.facts.nodes = context_.placement;
  }
  if (!was_suspended_) job_.facts.keeps_memory = job_.user_suspended();
  if (job_.user_suspended() || job_.facts.nodes.empty()) {
    withdraw();
  } else if (!job_.in_engine() && available_to_policy(job_, now_)) {
    context_.changes.suspended_outside = true;
  }
}

void JobObservation::stop_clock_of_suspended() {
  VirtualClock& clock = job_.progress.clock;
  if (restored_) {  // it was suspended while slurmctld was down: progress counts up to the saved state
    reset_clock(clock, now_, clock.at(std::max(context_.state_saved_at, clock.since)));
  } else {
    stop_clock(clock, now_);
  }
}

void JobObservation::note_start() {
  if (job_.history.first_start == 0) job_.history.first_start = now_;
  if (!held_nodes_ || run_ended_ || restored_) job_.facts.exclusive = (seen_.flags & DFRS_JOB_EXCLUSIVE) != 0;
}

// For a job in its first run that our state does not have. The tag in Slurm's comment has, a little late, what a lost
// or damaged state file held. Without a tag the job counts as just begun: its limit counts from now, so that it ends
// late rather than early, and it is not requeued before it has gained MinProgress.
void JobObservation::read_clock_from_tag() {
  if (job_.history.first_start != 0 || job_.restarts != 0) return;
  if (const auto& tag = job_.facts.comment.tag()) reset_clock(job_.progress.clock, now_, tag->virtual_time);
}

void JobObservation::withdraw() { withdraw_from_policy(job_, context_.jobs, context_.changes); }

}  // namespace dfrs::shim
