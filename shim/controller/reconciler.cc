// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/reconciler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "shim/controller/comment_tag.h"
#include "shim/controller/limits.h"
#include "shim/controller/pause_rules.h"
#include "shim/controller/timing.h"

namespace dfrs::shim {
namespace {

bool overlap(const std::vector<NodeIndex>& a, const std::vector<NodeIndex>& b) {
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (*i == *j) return true;
    *i < *j ? ++i : ++j;
  }
  return false;
}

// Whether both tags show the same state and yield, as printed.
bool reads_alike(CommentTag a, CommentTag b) {
  a.virtual_time = b.virtual_time = 0;
  return a == b || format_tag(a) == format_tag(b);
}

// The clock of a running job may stand still: in an attempt to checkpoint it, and until its agents confirm the quota of
// a resume. Then the end moves with the time.
std::optional<std::int64_t> end_time_to_ask(const Job& job, Seconds now) {
  if (now < job.requests.end_time_retry) return std::nullopt;
  const double yield = job.progress.clock.rate > 0 ? job.progress.clock.rate : job.progress.granted_yield;
  return wanted_end_time({job.facts.time_limit, job.run_virtual_time(now), yield, job.facts.end_time}, now);
}

// END_TIME for running jobs whose end time in Slurm is out of date.
void set_end_times(JobTable& jobs, Seconds now, OperationList& operations) {
  jobs.each([&](Job& job) {
    const bool attempt = job.checkpointing.phase != Checkpointing::Phase::none;
    if (!job.running() || job.requeue.asked || !(job.to_run_in_place() || attempt)) return;
    if (const auto end = end_time_to_ask(job, now)) operations.end_time(job, *end);
  });
}

// Whether add_suspend() or add_requeue() may concern the job.
bool may_depart(const Job& job) {
  if (!job.running() && !job.suspended()) return false;
  return job.lost() || job.requeue.ask_again || (job.running() && job.desired.state == DesiredState::paused) ||
         job.to_run_elsewhere();
}

bool may_arrive(const Job& job) {
  if (job.desired.state != DesiredState::running) return false;
  return job.facts.phase == DFRS_JOB_PENDING || (job.suspended() && job.desired.nodes == job.facts.nodes);
}

}  // namespace

Seconds Reconciler::reconcile(JobTable& jobs, const Nodes& nodes, const Config& config, Seconds now,
                              OperationList& operations) {
  take_stock(jobs, nodes);
  add_departures(operations);
  const bool departures = operations.size() != 0;
  add_arrivals(nodes, now, operations);
  const bool look_soon = departures || !candidates_.empty() || !cleaned_up_;
  set_end_times(jobs, now, operations);
  return std::min(set_comments(jobs, config, now, operations), look_soon ? now + kPoll : kNever);
}

// COMMENT for jobs whose tag is out of date. Returns when the next one is due; kNever: none is. Every change of a job
// makes Slurm save its jobs, so tags whose time alone is old are changed all at once.
Seconds Reconciler::set_comments(JobTable& jobs, const Config& config, Seconds now, OperationList& operations) {
  const bool interval_over = now >= times_told_ + config.comment_interval || now < times_told_;
  Seconds next = kNever;
  bool told = false;
  jobs.each([&](Job& job) {
    if (job.facts.phase == DFRS_JOB_ENDING || job.facts.phase == DFRS_JOB_BLOCKED) return;
    if (job.requeue.pending_for(job.restarts)) return;  // its run is about to end
    const std::optional<CommentTag>& shown = job.facts.comment.tag();
    if (config.comment_interval <= 0) {
      if (shown) operations.comment(job, std::string(job.facts.comment.words()));
      return;
    }
    if (job.history.first_start == 0) return;  // it has not run yet
    CommentTag tag;
    tag.paused = !job.running();
    tag.yield = job.running() ? job.progress.granted_yield : 0;
    tag.virtual_time = std::floor(job.virtual_time(now));
    const bool other = !shown || !reads_alike(*shown, tag);
    if (!other && std::abs(tag.virtual_time - shown->virtual_time) <= 60 + 0.1 * shown->virtual_time) return;
    const Seconds due = job.requests.comment_at + config.comment_interval;
    if (job.requests.comment_at != 0 && now < due && now >= job.requests.comment_at) {
      next = std::min(next, due);
      return;
    }
    if (!other && !interval_over) {
      next = std::min(next, times_told_ + config.comment_interval);
      return;
    }
    told = told || !other;
    operations.comment(job, with_tag(job.facts.comment.text(), tag));
    job.requests.comment_at = now;
  });
  if (told) times_told_ = now;
  return next;
}

// One pass over all jobs finds the few that the rest is about.
void Reconciler::take_stock(JobTable& jobs, const Nodes& nodes) {
  ledger_.reset(nodes);
  cleaning_.assign(nodes.size(), 0);
  for (NodeIndex n = 0; n < nodes.size(); ++n) cleaning_[n] = nodes[n].completing ? 1 : 0;
  departing_.clear();
  candidates_.clear();
  cleaned_up_ = true;
  jobs.each([&](Job& job) {
    if (job.running()) ledger_.take(footprint(job, job.facts.nodes));
    if (may_depart(job)) departing_.push_back(&job);
    if (may_arrive(job)) candidates_.push_back(&job);
    if (job.facts.phase == DFRS_JOB_REQUEUING && job.in_engine()) cleaned_up_ = false;
  });
  std::sort(candidates_.begin(), candidates_.end(), released_earlier);
}

void Reconciler::add_departures(OperationList& operations) {
  for (Job* job : departing_) add_suspend(*job, operations);
  for (Job* job : departing_) add_requeue(*job, operations);
}

void Reconciler::add_suspend(Job& job, OperationList& operations) {
  if (!job.running() || job.desired.state != DesiredState::paused) return;
  if (job.desired.pause_way == PauseWay::none) {
    // It was in the queue when the policy decided, and runs nevertheless.
    job.desired.pause_way = pause_way(job);
    job.policy.contradicted = job.desired.pause_way == PauseWay::none;
  }
  if (job.desired.pause_way != PauseWay::suspend || job.lost()) return;
  operations.suspend(job);
  ledger_.give(footprint(job, job.facts.nodes));
}

bool Reconciler::is_to_be_requeued(Job& job) const {
  if (!job.running() && !job.suspended()) return false;
  if (job.lost()) return true;
  const bool attempt = job.checkpointing.phase != Checkpointing::Phase::none;
  if (job.requeue.ask_again) return !attempt || job.checkpointing.complete_for(job.restarts);
  const bool pauses = job.running() && job.desired.state == DesiredState::paused;
  if (!pauses && !job.to_run_elsewhere()) return false;
  const PauseWay way = pauses ? job.desired.pause_way : way_to_leave(job);
  if (way == PauseWay::requeue) return true;
  if (way == PauseWay::suspend) return false;
  if (job.checkpointing.complete_for(job.restarts)) return true;
  if (!job.checkpointing.under_way()) job.policy.contradicted = true;  // it can no longer leave as was decided
  return false;
}

void Reconciler::add_requeue(Job& job, OperationList& operations) {
  if (!is_to_be_requeued(job)) return;
  operations.requeue(job);
  job.requeue.ask_again = false;
  job.requeue.asked = true;
  job.requeue.asked_of_run = job.restarts;
  for (NodeIndex n : job.facts.nodes) cleaning_[n] = 1;
}

void Reconciler::add_arrivals(const Nodes& nodes, Seconds now, OperationList& operations) {
  arrivals_.clear();
  for (const Job* job : candidates_) {
    if (start_hold(*job, nodes, now) != Hold::none) continue;
    if (job->suspended()) {
      resume(*job, now, operations);
    } else if (!start(*job, nodes, operations)) {
      continue;
    }
    arrivals_.push_back(job);
  }
}

void Reconciler::resume(const Job& job, Seconds now, OperationList& operations) {
  operations.resume(job);
  ledger_.take(footprint(job, job.facts.nodes));
  // At a resume Slurm computes an end time by the wall clock, which may have passed already.
  const LimitState limit{job.facts.time_limit, job.run_virtual_time(now), job.desired.yield, 0};
  if (const auto end = wanted_end_time(limit, now)) operations.end_time(job, *end);
}

bool Reconciler::start(const Job& job, const Nodes& nodes, OperationList& operations) {
  if (job.has(DFRS_JOB_STOCK_PLACED)) return start_where_slurm_chooses(job, nodes, operations);
  operations.start(job, job.desired.nodes, job.requeue.by_us);
  ledger_.take(footprint(job, job.desired.nodes));
  return true;
}

// cons_tres places the job, on nodes that it may use and that have room for a task.
bool Reconciler::start_where_slurm_chooses(const Job& job, const Nodes& nodes, OperationList& operations) {
  stock_nodes_.clear();
  for (NodeIndex n = 0; n < nodes.size(); ++n) {
    if (!nodes[n].usable || cleaning_[n] != 0 || !job.facts.may_use(n)) continue;
    if (ledger_.tasks_that_fit(n, job.facts.memory_per_task, job.facts.exclusive) != 0) stock_nodes_.push_back(n);
  }
  if (stock_nodes_.empty()) return false;
  operations.start(job, stock_nodes_, job.requeue.by_us);
  // The next snapshot shows where it runs. Until then nothing else is started on these nodes.
  for (NodeIndex n : stock_nodes_) cleaning_[n] = 1;
  return true;
}

Reconciler::Hold Reconciler::start_hold(const Job& job, const Nodes& nodes, Seconds now) const {
  for (NodeIndex n : job.desired.nodes) {
    if (n >= nodes.size() || !nodes[n].usable) return Hold::usable;
    if (cleaning_[n] != 0) return Hold::cleaning;
  }
  const bool same_nodes = job.facts.last_nodes.empty() || job.has(DFRS_JOB_STOCK_PLACED) ||
                          overlap(job.desired.nodes, job.facts.last_nodes);
  if (job.queued() && now < job.requeue.start_not_before && same_nodes) return Hold::credential;
  return ledger_.fits(footprint(job, job.desired.nodes)) ? Hold::none : Hold::memory;
}

std::optional<std::string> Reconciler::held_back(const Job& job, const Nodes& nodes, Seconds now) const {
  if (job.facts.phase == DFRS_JOB_REQUEUING) return "its last run is being cleaned up";
  if (job.running() && job.checkpointing.under_way()) return "it is being checkpointed";
  if (job.running()) return "its run is being ended";
  if (ledger_.nodes() != nodes.size()) return std::nullopt;
  switch (start_hold(job, nodes, now)) {
    case Hold::none:
      return std::nullopt;
    case Hold::usable:
      return "one of its nodes is not usable now";
    case Hold::cleaning:
      return "another job is being cleaned up on its nodes";
    case Hold::credential:
      return fmt::format("slurmd accepts it again on nodes of its last run in {:.1f} s",
                         job.requeue.start_not_before - now);
    case Hold::memory:
      return "memory on its nodes is not free yet";
  }
  return std::nullopt;
}

}  // namespace dfrs::shim
