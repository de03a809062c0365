// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/batch/planning_queue.h"

#include <algorithm>
#include <cmath>

#include "policy/batch/estimated_end.h"
#include "policy/batch/whole_nodes.h"

namespace dfrs {
namespace {

// Logs contain jobs with an estimate of 0 s. In a plan they hold their nodes for this long.
constexpr Seconds kShortest = 1e-3;

// The expected end of a job that should have ended already.
Seconds any_moment(Seconds now) { return std::nextafter(now, kNever); }

struct Before {
  QueueOrder order;
  const std::vector<PlanJob>& jobs;

  bool operator()(JobSlot a, JobSlot b) const {
    const PlanJob& x = jobs[a];
    const PlanJob& y = jobs[b];
    if (order == QueueOrder::sjf && x.duration != y.duration) return x.duration < y.duration;
    if (order == QueueOrder::ljf && x.duration != y.duration) return x.duration > y.duration;
    return x.order < y.order;
  }
};

}  // namespace

const char* queue_order_name(QueueOrder order) {
  constexpr std::array<const char*, 3> kNames{"FCFS", "SJF", "LJF"};
  return kNames[static_cast<std::size_t>(order)];
}

void PlanningQueue::take(const ClusterView& view, const Estimates& estimates, std::span<const Event> events,
                         const ClusterState& state, QueueChanges& changes) {
  changes.ended = false;
  changes.arrived.clear();
  changes.resync = has_event(events, EventKind::resync);
  if (changes.resync) {
    reset(view, estimates, state, changes);
    return;
  }
  for (const Event& event : events) {
    if (event.kind == EventKind::completed) {
      complete(event.job);
      changes.ended = true;
    } else {
      submit(view, estimates, state, event.job);
      changes.arrived.push_back(event.job);
    }
  }
}

void PlanningQueue::reset(const ClusterView& view, const Estimates& estimates, const ClusterState& state,
                          QueueChanges& changes) {
  uniform_ = state.homogeneous();
  for (std::vector<JobSlot>& order : orders_) order.clear();
  reservations_.clear();
  running_.clear();
  first_free_ = 0;
  free_ = 0;
  const auto nodes = static_cast<NodeIndex>(state.node_count());
  for (NodeIndex n = 0; n < nodes; ++n) free_ += state.usable(n) && idle(state, n) ? 1 : 0;
  for (const JobSlot job : state.active()) {
    if (!state.placed(job)) {
      submit(view, estimates, state, job);
      changes.arrived.push_back(job);
      continue;
    }
    const JobView& spec = view.jobs[job];
    if (spec.eligible != nullptr) uniform_ = false;
    if (jobs_.size() <= job) jobs_.resize(job + 1);
    jobs_[job] = {spec.submit, std::max(estimates.run_time[job], kShortest), 0, 0, state.order(job), view.now};
    running_.push_back(
        {estimated_end(view, estimates, job), job, static_cast<Processors>(distinct_nodes(state.nodes_of(job)))});
  }
  std::stable_sort(running_.begin(), running_.end(), [](const Running& a, const Running& b) { return a.end < b.end; });
  changes.ended = !running_.empty();
}

void PlanningQueue::submit(const ClusterView& view, const Estimates& estimates, const ClusterState& state,
                           JobSlot job) {
  const JobView& spec = view.jobs[job];
  if (jobs_.size() <= job) jobs_.resize(job + 1);
  PlanJob& facts = jobs_[job];
  facts.submit = spec.submit;
  facts.duration = std::max(estimates.run_time[job], kShortest);
  facts.reserved = job < estimates.reserved_start.size() ? estimates.reserved_start[job] : 0;
  facts.nodes = static_cast<Processors>(least_nodes(state, spec, uniform_, pack_tasks_));
  facts.order = state.order(job);
  facts.planned = kNever;
  // A job that does not suit every node makes nodes unequal until the next resync.
  uniform_ = uniform_ && suits_equal_nodes(state, spec);
  if (!facts.variable()) {
    reservations_.push_back(job);
    return;
  }
  for (const QueueOrder by : kQueueOrders) {
    std::vector<JobSlot>& order = orders_[static_cast<std::size_t>(by)];
    order.insert(std::upper_bound(order.begin(), order.end(), job, Before{by, jobs_}), job);
  }
}

void PlanningQueue::complete(JobSlot job) {
  const auto at = std::find_if(running_.begin(), running_.end(), [&](const Running& r) { return r.job == job; });
  if (at == running_.end()) {  // cancelled while it waited
    forget_waiting(job);
    return;
  }
  free_ += at->nodes;
  running_.erase(at);
  first_free_ = 0;
}

void PlanningQueue::forget_waiting(JobSlot job) {
  if (!jobs_[job].variable()) {
    std::erase(reservations_, job);
    return;
  }
  for (const QueueOrder by : kQueueOrders) {
    std::vector<JobSlot>& order = orders_[static_cast<std::size_t>(by)];
    const auto at = std::lower_bound(order.begin(), order.end(), job, Before{by, jobs_});
    if (at != order.end() && *at == job) order.erase(at);
  }
}

void PlanningQueue::begin_plan(const ClusterView& view, const ClusterState& state, Timetable& timetable) {
  const Seconds soon = any_moment(view.now);
  if (uniform_) {
    releases_.clear();
    for (const Running& running : running_) releases_.push_back({std::max(running.end, soon), running.nodes});
    timetable.count.reset(view.now, free_, releases_);
  } else {
    timetable.nodes.reset(view.now, state.node_count());
    timetable.due.clear();
    for (NodeIndex n = 0; n < state.node_count(); ++n) {
      if (state.usable(n) && idle(state, n)) timetable.nodes.release(n, view.now);
    }
    for (const Running& running : running_) {
      each_node(state.nodes_of(running.job), [&](NodeIndex n) {
        if (state.usable(n)) timetable.nodes.release(n, std::max(running.end, soon));
      });
    }
  }
  for (const JobSlot job : reservations_) {
    set_planned(job, place(view, state, job, std::max(jobs_[job].reserved, view.now), timetable));
  }
}

Seconds PlanningQueue::place(const ClusterView& view, const ClusterState& state, JobSlot job, Seconds not_before,
                             Timetable& timetable) {
  const PlanJob& facts = jobs_[job];
  if (uniform_) {
    const Seconds start = timetable.count.earliest_start(not_before, facts.duration, facts.nodes);
    if (start < kNever) timetable.count.take(start, start + facts.duration, facts.nodes);
    return start;
  }
  const JobView& spec = view.jobs[job];
  tasks_by_node_.resize(state.node_count());
  for (NodeIndex n = 0; n < state.node_count(); ++n) tasks_by_node_[n] = tasks_on(state, spec, n, pack_tasks_);
  const Seconds start = timetable.nodes.earliest_start(not_before, facts.duration, tasks_by_node_, spec.tasks, nodes_);
  if (start < kNever) timetable.nodes.take(start, start + facts.duration, nodes_);
  if (start <= view.now) timetable.due.push_back({job, nodes_});
  return start;
}

void PlanningQueue::plan_jobs(const ClusterView& view, const ClusterState& state, std::span<const JobSlot> jobs,
                              Timetable& timetable, Plan& plan) {
  plan.clear();
  for (const JobSlot job : jobs) {
    const Seconds start = place(view, state, job, view.now, timetable);
    plan.push_back({job, start, start + jobs_[job].duration});
  }
}

void PlanningQueue::plan_all(const ClusterView& view, const ClusterState& state, QueueOrder order, Timetable& timetable,
                             Plan& all) {
  begin_plan(view, state, timetable);
  plan(view, state, order, timetable, all);
  adopt(all);
}

void PlanningQueue::plan_arrived(const ClusterView& view, const ClusterState& state, const QueueChanges& changes,
                                 Timetable& timetable) {
  if (changes.resync) begin_plan(view, state, timetable);
  for (const JobSlot job : changes.arrived) set_planned(job, place(view, state, job, view.now, timetable));
}

void PlanningQueue::adopt(const Plan& plan) {
  for (const PlannedStart& planned : plan) set_planned(planned.job, planned.start);
}

void PlanningQueue::start_due(const ClusterView& view, ClusterState& state, const Timetable& timetable,
                              Outcome& outcome, std::vector<JobSlot>& started) {
  due_.clear();
  for (const JobSlot job : reservations_) {
    if (jobs_[job].planned <= view.now) due_.push_back(job);
  }
  for (const JobSlot job : waiting(QueueOrder::fcfs)) {
    if (jobs_[job].planned <= view.now) due_.push_back(job);
  }
  for (const JobSlot job : due_) {
    if (!start(view, state, timetable, outcome, job)) continue;
    state.explain({ReasonKind::planned_now, job});
    started.push_back(job);
  }
  if (!state.explains()) return;
  for (const std::vector<JobSlot>& waiting : {reservations_, orders_[static_cast<std::size_t>(QueueOrder::fcfs)]}) {
    for (const JobSlot job : waiting) state.explain({ReasonKind::planned, job, kNoSlot, jobs_[job].planned});
  }
}

bool PlanningQueue::start(const ClusterView& view, ClusterState& state, const Timetable& timetable, Outcome& outcome,
                          JobSlot job) {
  PlanJob& facts = jobs_[job];
  const JobView& spec = view.jobs[job];
  nodes_.clear();
  if (uniform_) {
    const std::uint32_t tasks = tasks_on(state, spec, 0, pack_tasks_);
    const auto nodes = static_cast<NodeIndex>(state.node_count());
    for (NodeIndex n = first_free_; n < nodes && nodes_.size() < spec.tasks; ++n) {
      if (idle(state, n)) nodes_.insert(nodes_.end(), std::min<std::size_t>(tasks, spec.tasks - nodes_.size()), n);
    }
  } else {
    const auto held = std::find_if(timetable.due.begin(), timetable.due.end(),
                                   [&](const Timetable::Held& due) { return due.job == job; });
    if (held != timetable.due.end()) nodes_ = held->nodes;
  }
  if (nodes_.size() < spec.tasks) return false;
  state.place(job, spec, nodes_);
  if (uniform_) first_free_ = nodes_.back() + 1;
  const auto taken = static_cast<Processors>(distinct_nodes(nodes_));
  free_ -= taken;
  const double yield = yield_alone(state, nodes_);
  outcome.yields->push_back({job, yield});
  forget_waiting(job);
  facts.planned = view.now;
  const Running entry{view.now + facts.duration / yield, job, taken};
  running_.insert(std::upper_bound(running_.begin(), running_.end(), entry,
                                   [](const Running& a, const Running& b) { return a.end < b.end; }),
                  entry);
  return true;
}

Seconds PlanningQueue::next_start(Seconds now) const {
  // All other planned starts coincide with the expected end of a job. Its completion is an event, and if it is late
  // nothing can start.
  Seconds next = kNever;
  for (const JobSlot job : reservations_) {
    const PlanJob& facts = jobs_[job];
    if (facts.planned == facts.reserved && facts.planned > now) next = std::min(next, facts.planned);
  }
  return next;
}

}  // namespace dfrs
