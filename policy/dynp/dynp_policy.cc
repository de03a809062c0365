// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/dynp/dynp_policy.h"

#include <algorithm>
#include <iterator>

namespace dfrs {

void DynpPolicy::step(const ClusterView& view, const Estimates& estimates, std::span<const Event> events,
                      ClusterState& state, Outcome& outcome) {
  queue_.take(view, estimates, events, state, changes_);
  if (changes_.resync) policy_ = QueueOrder::fcfs;
  const bool stands = plan_stands(changes_, view.now);
  if (algorithm_.decider != DynpAlgorithm::Decider::basic) {
    const bool backlog = queue_.waiting(QueueOrder::fcfs).size() > 1;
    if (!events.empty() && backlog) {
      tune(view, state);
    } else if (!stands || !changes_.arrived.empty()) {
      replan(view, state);
    }
  } else {
    const bool decided = !changes_.arrived.empty() && decide_by_estimates(view.now);
    if (decided || !stands) {
      replan(view, state);
    } else {
      queue_.plan_arrived(view, state, changes_, timetable_);
    }
  }
  started_.clear();
  queue_.start_due(view, state, timetable_, outcome, started_);
  if (listener_ == nullptr) return;
  for (const JobSlot job : started_) listener_->on_start(job, policy_);
}

void DynpPolicy::replan(const ClusterView& view, const ClusterState& state) {
  queue_.plan_all(view, state, policy_, timetable_, scratch_);
}

void DynpPolicy::tune(const ClusterView& view, const ClusterState& state) {
  queue_.begin_plan(view, state, base_);
  std::array<double, 3> quality{};
  for (const QueueOrder order : kQueueOrders) {
    const auto k = static_cast<std::size_t>(order);
    virtual_timetables_[k] = base_;
    const bool as_it_stands = algorithm_.shared_queue && order == QueueOrder::fcfs;
    queue_.plan_jobs(view, state, as_it_stands ? standing_queue() : queue_.waiting(order), virtual_timetables_[k],
                     virtual_plans_[k]);
    quality[k] = schedule_quality(algorithm_.quality, queue_, virtual_plans_[k], view.now, algorithm_.future, scratch_);
  }
  if (algorithm_.quality == ScheduleQuality::makespan) {
    for (double& end : quality) end -= view.now;  // a fraction of the time since the epoch would be meaningless
  }
  quality[static_cast<std::size_t>(policy_)] *= 1 - algorithm_.slack;
  const QualityRanks ranks = rank_qualities(quality);
  DynpDecision decision;
  decision.now = view.now;
  decision.backlog = queue_.waiting(QueueOrder::fcfs).size();
  decision.found = classify(ranks, policy_);
  decision.before = policy_;
  policy_ =
      algorithm_.decider == DynpAlgorithm::Decider::simple ? decide_simple(ranks) : decide_advanced(ranks, policy_);
  report(decision);
  if (algorithm_.shared_queue && policy_ == QueueOrder::fcfs && decision.before != QueueOrder::fcfs) {
    replan(view, state);  // FCFS was judged by another order
    return;
  }
  const auto chosen = static_cast<std::size_t>(policy_);
  std::swap(timetable_, virtual_timetables_[chosen]);
  queue_.adopt(virtual_plans_[chosen]);
}

std::span<const JobSlot> DynpPolicy::standing_queue() {
  if (policy_ == QueueOrder::fcfs) return queue_.waiting(QueueOrder::fcfs);
  is_new_.clear();
  for (const JobSlot job : changes_.arrived) {
    if (is_new_.size() <= job) is_new_.resize(job + 1);
    is_new_[job] = 1;
  }
  const auto is_new = [&](JobSlot job) { return job < is_new_.size() && is_new_[job] != 0; };
  standing_.clear();
  std::ranges::remove_copy_if(queue_.waiting(QueueOrder::sjf), std::back_inserter(standing_), is_new);
  std::ranges::copy_if(queue_.waiting(QueueOrder::fcfs), std::back_inserter(standing_), is_new);
  return standing_;
}

bool DynpPolicy::decide_by_estimates(Seconds now) {
  const std::span<const JobSlot> waiting = queue_.waiting(QueueOrder::fcfs);
  if (waiting.size() < algorithm_.threshold) return false;
  Seconds sum = 0;
  for (const JobSlot job : waiting) sum += queue_.job(job).duration;
  DynpDecision decision;
  decision.now = now;
  decision.backlog = waiting.size();
  decision.before = policy_;
  policy_ = decide_basic(sum / static_cast<double>(waiting.size()), algorithm_.bounds).value_or(policy_);
  report(decision);
  return true;
}

void DynpPolicy::report(DynpDecision decision) {
  decision.after = policy_;
  if (listener_ != nullptr) listener_->on_decision(decision);
}

}  // namespace dfrs
