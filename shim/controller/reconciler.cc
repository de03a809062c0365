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
  return {nodes, job.memory_per_task, job.exclusive};
}

bool overlap(const std::vector<NodeIndex>& a, const std::vector<NodeIndex>& b) {
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (*i == *j) return true;
    *i < *j ? ++i : ++j;
  }
  return false;
}

bool earlier(const Job* a, const Job* b) { return a->release != b->release ? a->release < b->release : a->id < b->id; }

// A tag shows two digits or so of a yield; smaller changes are no news.
bool reads_alike(CommentTag a, CommentTag b) {
  a.virtual_time = b.virtual_time = 0;
  return format_tag(a) == format_tag(b);
}

std::optional<std::int64_t> end_time_to_ask(const Job& job, Seconds now) {
  if (now < job.end_time_retry) return std::nullopt;
  return wanted_end_time({job.time_limit, job.run_virtual_time(now), job.clock.rate, job.end_time}, now);
}

}  // namespace

void Reconciler::leave(Books& books, OperationList& operations) {
  books.each([&](Job& job) {
    if (job.running() && job.wish == Wish::paused && job.way == PauseWay::none) {
      // It was in the queue when that was decided, and ran all the same.
      job.way = pause_way(job);
      job.to_resync = job.way == PauseWay::none;
    }
    if (job.running() && job.wish == Wish::paused && job.way == PauseWay::suspend && !job.lost()) {
      operations.suspend(job);
      room_.give(footprint(job, job.at));
    }
  });
  books.each([&](Job& job) {
    const bool holds = job.running() || job.suspended();
    const bool ends = (job.wish == Wish::paused && job.way == PauseWay::requeue && job.running()) ||
                      (job.wish == Wish::running && job.target != job.at) || job.lost() || job.requeue_again;
    if (!holds || !ends) return;
    operations.requeue(job);
    job.requeue_again = false;
    job.requeue_asked = true;
    job.requeue_asked_of = job.restarts;
    for (NodeIndex n : job.at) cleaning_[n] = 1;
  });
}

Reconciler::Hold Reconciler::start_hold(const Job& job, const Nodes& nodes, Seconds now, Seconds& again) const {
  for (NodeIndex n : job.target) {
    if (n >= nodes.size() || !nodes[n].usable) return Hold::usable;
    if (cleaning_[n] != 0) return Hold::cleaning;
  }
  if (job.queued() && now < job.start_not_before && (job.last_at.empty() || overlap(job.target, job.last_at))) {
    again = job.start_not_before;
    return Hold::credential;
  }
  return room_.fits(footprint(job, job.target)) ? Hold::none : Hold::memory;
}

Seconds Reconciler::reconcile(Books& books, const Nodes& nodes, Seconds now, OperationList& operations) {
  arriving_.clear();
  comers_.clear();
  room_.reset(nodes);
  cleaning_.assign(nodes.size(), 0);
  for (NodeIndex n = 0; n < nodes.size(); ++n) cleaning_[n] = nodes[n].completing ? 1 : 0;
  Seconds again = kNever;
  books.each([&](Job& job) {
    if (job.running()) room_.take(footprint(job, job.at));
    if (job.phase == DFRS_JOB_REQUEUING && job.in_engine()) again = std::min(again, now + kPoll);
  });
  leave(books, operations);
  if (operations.size() != 0) again = now + kPoll;  // whatever comes of them
  books.each([&](Job& job) {
    if (job.wish != Wish::running) return;
    if (job.phase == DFRS_JOB_PENDING || (job.suspended() && job.target == job.at)) comers_.push_back(&job);
  });
  std::sort(comers_.begin(), comers_.end(), earlier);
  if (!comers_.empty()) again = std::min(again, now + kPoll);
  for (Job* job : comers_) {
    Seconds when = 0;
    if (start_hold(*job, nodes, now, when) != Hold::none) continue;
    if (job->suspended()) {
      operations.resume(*job);
      room_.take(footprint(*job, job->at));
      // Slurm computes an end time by the wall clock as it resumes the job, one that may have passed.
      if (const auto end = wanted_end_time({job->time_limit, job->run_virtual_time(now), job->yield, 0}, now)) {
        operations.end_time(*job, *end);
        job->end_time_asked = *end;
      }
      arriving_.push_back(job);
    } else if (start(*job, nodes, operations)) {
      arriving_.push_back(job);
    }
  }
  return again;
}

bool Reconciler::start(Job& job, const Nodes& nodes, OperationList& operations) {
  if (!job.has(DFRS_JOB_STOCK_PLACED)) {
    operations.start(job, job.target, job.requeued_by_us);
    room_.take(footprint(job, job.target));
    return true;
  }
  // cons_tres places it: on any node that it may use and that has room for a task in fact.
  stock_nodes_.clear();
  for (NodeIndex n = 0; n < nodes.size(); ++n) {
    if (!nodes[n].usable || cleaning_[n] != 0 || (!job.mask.empty() && !job.eligible.contains(n))) continue;
    if (room_.tasks_that_fit(n, job.memory_per_task, job.exclusive) != 0) stock_nodes_.push_back(n);
  }
  if (stock_nodes_.empty()) return false;
  operations.start(job, stock_nodes_, job.requeued_by_us);
  // Where it will be is not known before the next snapshot: nothing else is started on these nodes in this step.
  for (NodeIndex n : stock_nodes_) cleaning_[n] = 1;
  return true;
}

std::string Reconciler::held_back(const Job& job, const Nodes& nodes, Seconds now) const {
  if (job.phase == DFRS_JOB_REQUEUING) return "its last run is being cleaned up";
  if (job.running()) return "its run is being ended";
  if (room_.nodes() != nodes.size()) return {};
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

void set_end_times(Books& books, Seconds now, OperationList& operations) {
  books.each([&](Job& job) {
    if (!job.running() || job.wish != Wish::running || job.target != job.at) return;
    const auto end = end_time_to_ask(job, now);
    if (!end) return;
    operations.end_time(job, *end);
    job.end_time_asked = *end;
  });
}

Seconds set_comments(Books& books, const Config& config, Seconds now, OperationList& operations) {
  Seconds next = kNever;
  books.each([&](Job& job) {
    if (job.phase == DFRS_JOB_ENDING || job.phase == DFRS_JOB_BLOCKED) return;
    if (job.requeue_asked && job.requeue_asked_of == job.restarts) return;  // another run by then
    const auto shown = find_tag(job.comment);
    if (config.comment_interval <= 0) {
      if (shown) operations.comment(job, std::string(user_comment(job.comment)));
      return;
    }
    if (job.started == 0) return;  // nothing to tell before it has run
    CommentTag tag;
    tag.paused = !job.running();
    tag.yield = job.running() ? job.given : 0;
    tag.virtual_time = std::floor(job.virtual_time(now));
    const bool news = !shown || !reads_alike(*shown, tag) ||
                      std::abs(tag.virtual_time - shown->virtual_time) > 60 + 0.1 * shown->virtual_time;
    if (!news) return;
    const Seconds due = job.comment_at + config.comment_interval;
    if (job.comment_at != 0 && now < due && now >= job.comment_at) {
      next = std::min(next, due);
      return;
    }
    operations.comment(job, with_tag(job.comment, tag));
    job.comment_at = now;
  });
  return next;
}

}  // namespace dfrs::shim
