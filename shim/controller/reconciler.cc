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

Footprint footprint(const Job& job, std::span<const NodeIndex> nodes) {
  return {nodes, job.facts.memory_per_task, job.facts.exclusive};
}

bool overlap(const std::vector<NodeIndex>& a, const std::vector<NodeIndex>& b) {
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (*i == *j) return true;
    *i < *j ? ++i : ++j;
  }
  return false;
}

bool earlier(const Job* a, const Job* b) {
  return a->history.release != b->history.release ? a->history.release < b->history.release : a->id < b->id;
}

// A tag shows two digits or so of a yield; smaller changes are no news.
bool reads_alike(CommentTag a, CommentTag b) {
  a.virtual_time = b.virtual_time = 0;
  return format_tag(a) == format_tag(b);
}

std::optional<std::int64_t> end_time_to_ask(const Job& job, Seconds now) {
  if (now < job.requests.end_time_retry) return std::nullopt;
  return wanted_end_time({job.facts.time_limit, job.run_virtual_time(now), job.progress.clock.rate, job.facts.end_time},
                         now);
}

}  // namespace

void Reconciler::leave(JobTable& jobs, OperationList& operations) {
  jobs.each([&](Job& job) {
    if (job.running() && job.desired.state == DesiredState::paused && job.desired.pause_way == PauseWay::none) {
      // It was in the queue when that was decided, and ran all the same.
      job.desired.pause_way = pause_way(job);
      job.policy.contradicted = job.desired.pause_way == PauseWay::none;
    }
    if (job.running() && job.desired.state == DesiredState::paused && job.desired.pause_way == PauseWay::suspend &&
        !job.lost()) {
      operations.suspend(job);
      ledger_.give(footprint(job, job.facts.nodes));
    }
  });
  jobs.each([&](Job& job) {
    const bool holds = job.running() || job.suspended();
    const bool ends =
        (job.desired.state == DesiredState::paused && job.desired.pause_way == PauseWay::requeue && job.running()) ||
        (job.desired.state == DesiredState::running && job.desired.nodes != job.facts.nodes) || job.lost() ||
        job.requeue.ask_again;
    if (!holds || !ends) return;
    operations.requeue(job);
    job.requeue.ask_again = false;
    job.requeue.asked = true;
    job.requeue.asked_of_run = job.restarts;
    for (NodeIndex n : job.facts.nodes) cleaning_[n] = 1;
  });
}

Reconciler::Hold Reconciler::start_hold(const Job& job, const Nodes& nodes, Seconds now, Seconds& again) const {
  for (NodeIndex n : job.desired.nodes) {
    if (n >= nodes.size() || !nodes[n].usable) return Hold::usable;
    if (cleaning_[n] != 0) return Hold::cleaning;
  }
  if (job.queued() && now < job.requeue.start_not_before &&
      (job.facts.last_nodes.empty() || overlap(job.desired.nodes, job.facts.last_nodes))) {
    again = job.requeue.start_not_before;
    return Hold::credential;
  }
  return ledger_.fits(footprint(job, job.desired.nodes)) ? Hold::none : Hold::memory;
}

Seconds Reconciler::reconcile(JobTable& jobs, const Nodes& nodes, Seconds now, OperationList& operations) {
  arrivals_.clear();
  candidates_.clear();
  ledger_.reset(nodes);
  cleaning_.assign(nodes.size(), 0);
  for (NodeIndex n = 0; n < nodes.size(); ++n) cleaning_[n] = nodes[n].completing ? 1 : 0;
  Seconds again = kNever;
  jobs.each([&](Job& job) {
    if (job.running()) ledger_.take(footprint(job, job.facts.nodes));
    if (job.facts.phase == DFRS_JOB_REQUEUING && job.in_engine()) again = std::min(again, now + kPoll);
  });
  leave(jobs, operations);
  if (operations.size() != 0) again = now + kPoll;  // whatever comes of them
  jobs.each([&](Job& job) {
    if (job.desired.state != DesiredState::running) return;
    if (job.facts.phase == DFRS_JOB_PENDING || (job.suspended() && job.desired.nodes == job.facts.nodes))
      candidates_.push_back(&job);
  });
  std::sort(candidates_.begin(), candidates_.end(), earlier);
  if (!candidates_.empty()) again = std::min(again, now + kPoll);
  for (Job* job : candidates_) {
    Seconds when = 0;
    if (start_hold(*job, nodes, now, when) != Hold::none) continue;
    if (job->suspended()) {
      operations.resume(*job);
      ledger_.take(footprint(*job, job->facts.nodes));
      // Slurm computes an end time by the wall clock as it resumes the job, one that may have passed.
      if (const auto end =
              wanted_end_time({job->facts.time_limit, job->run_virtual_time(now), job->desired.yield, 0}, now)) {
        operations.end_time(*job, *end);
      }
      arrivals_.push_back(job);
    } else if (start(*job, nodes, operations)) {
      arrivals_.push_back(job);
    }
  }
  return again;
}

bool Reconciler::start(Job& job, const Nodes& nodes, OperationList& operations) {
  if (!job.has(DFRS_JOB_STOCK_PLACED)) {
    operations.start(job, job.desired.nodes, job.requeue.by_us);
    ledger_.take(footprint(job, job.desired.nodes));
    return true;
  }
  // cons_tres places it: on any node that it may use and that has room for a task in fact.
  stock_nodes_.clear();
  for (NodeIndex n = 0; n < nodes.size(); ++n) {
    if (!nodes[n].usable || cleaning_[n] != 0 ||
        (!job.facts.eligible_mask.empty() && !job.facts.eligible_nodes.contains(n)))
      continue;
    if (ledger_.tasks_that_fit(n, job.facts.memory_per_task, job.facts.exclusive) != 0) stock_nodes_.push_back(n);
  }
  if (stock_nodes_.empty()) return false;
  operations.start(job, stock_nodes_, job.requeue.by_us);
  // Where it will be is not known before the next snapshot: nothing else is started on these nodes in this step.
  for (NodeIndex n : stock_nodes_) cleaning_[n] = 1;
  return true;
}

std::string Reconciler::held_back(const Job& job, const Nodes& nodes, Seconds now) const {
  if (job.facts.phase == DFRS_JOB_REQUEUING) return "its last run is being cleaned up";
  if (job.running()) return "its run is being ended";
  if (ledger_.nodes() != nodes.size()) return {};
  Seconds again = 0;
  switch (start_hold(job, nodes, now, again)) {
    case Hold::none:
      return {};
    case Hold::usable:
      return "a node of it is not usable now";
    case Hold::cleaning:
      return "another job is being cleaned up on its nodes";
    case Hold::credential:
      return fmt::format("slurmd accepts it again on the nodes of its last run in {:.1f} s", again - now);
    case Hold::memory:
      return "memory on its nodes is not free yet";
  }
  return {};
}

void set_end_times(JobTable& jobs, Seconds now, OperationList& operations) {
  jobs.each([&](Job& job) {
    if (!job.running() || job.desired.state != DesiredState::running || job.desired.nodes != job.facts.nodes) return;
    const auto end = end_time_to_ask(job, now);
    if (!end) return;
    operations.end_time(job, *end);
  });
}

Seconds set_comments(JobTable& jobs, const Config& config, Seconds now, OperationList& operations) {
  Seconds next = kNever;
  jobs.each([&](Job& job) {
    if (job.facts.phase == DFRS_JOB_ENDING || job.facts.phase == DFRS_JOB_BLOCKED) return;
    if (job.requeue.asked && job.requeue.asked_of_run == job.restarts) return;  // another run by then
    const auto shown = find_tag(job.facts.comment);
    if (config.comment_interval <= 0) {
      if (shown) operations.comment(job, std::string(user_comment(job.facts.comment)));
      return;
    }
    if (job.history.first_start == 0) return;  // nothing to tell before it has run
    CommentTag tag;
    tag.paused = !job.running();
    tag.yield = job.running() ? job.progress.granted_yield : 0;
    tag.virtual_time = std::floor(job.virtual_time(now));
    const bool news = !shown || !reads_alike(*shown, tag) ||
                      std::abs(tag.virtual_time - shown->virtual_time) > 60 + 0.1 * shown->virtual_time;
    if (!news) return;
    const Seconds due = job.requests.comment_at + config.comment_interval;
    if (job.requests.comment_at != 0 && now < due && now >= job.requests.comment_at) {
      next = std::min(next, due);
      return;
    }
    operations.comment(job, with_tag(job.facts.comment, tag));
    job.requests.comment_at = now;
  });
  return next;
}

}  // namespace dfrs::shim
