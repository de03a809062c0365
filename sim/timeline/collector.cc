// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/timeline/collector.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace dfrs::sim {
namespace {

using timeline::Schedule;
using timeline::ScheduleJob;
using timeline::Stay;
using timeline::StayBegin;
using timeline::StayEnd;

StayBegin begin_of(DecisionKind kind) {
  switch (kind) {
    case DecisionKind::move:
      return StayBegin::move;
    case DecisionKind::resume:
      return StayBegin::resume;
    default:
      return StayBegin::start;
  }
}

// A clock that begins later than the interval, without progress before, serves a penalty until then. Live hosts set
// clocks again when they measure, which is no penalty.
void serve(Stay& stay, const VirtualClock& clock, Seconds progress, Seconds since, Seconds now) {
  if (clock.since > since && clock.base <= progress) stay.served = std::max(stay.served, std::min(clock.since, now));
}

}  // namespace

void ScheduleCollector::take_nodes(const ClusterView& view) {
  for (std::size_t k = schedule_.node_cpu.size(); k < view.nodes.size(); ++k) {
    schedule_.node_cpu.push_back(view.nodes[k].spec.cpu);
    schedule_.node_memory.push_back(static_cast<double>(view.nodes[k].spec.rigid[kMemory]));
  }
}

ScheduleCollector::Track& ScheduleCollector::track(const ClusterView& view, JobSlot slot) {
  if (slot >= tracks_.size()) tracks_.resize(slot + 1);
  if (!tracks_[slot].here) submit(view, slot);
  return tracks_[slot];
}

void ScheduleCollector::submit(const ClusterView& view, JobSlot slot) {
  if (slot >= tracks_.size()) tracks_.resize(slot + 1);
  const JobView& seen = view.jobs[slot];
  Track& t = tracks_[slot];
  t.here = true;
  t.placed = false;
  t.job = static_cast<std::uint32_t>(schedule_.jobs.size());
  ScheduleJob& job = schedule_.jobs.emplace_back();
  job.id = seen.id;
  job.user = seen.user;
  job.submit = seen.submit;
  job.tasks = seen.tasks;
  job.cpu_need = seen.cpu_need;
  job.memory = static_cast<double>(seen.rigid[kMemory]);
}

void ScheduleCollector::place(Track& t, std::span<const NodeIndex> nodes, StayBegin begin, Seconds now) {
  t.placed = true;
  t.stay = {};
  t.stay.job = t.job;
  t.stay.from = t.stay.served = now;
  t.stay.begin = begin;
  t.nodes.assign(nodes.begin(), nodes.end());
  t.steps.clear();
  t.seen = now;
}

void ScheduleCollector::close(Track& t, StayEnd end, Seconds now) {
  if (!t.placed) return;
  Stay& stay = t.stay;
  stay.to = now;
  stay.end = end;
  stay.first_node = schedule_.nodes.size();
  stay.node_count = static_cast<std::uint32_t>(t.nodes.size());
  schedule_.nodes.insert(schedule_.nodes.end(), t.nodes.begin(), t.nodes.end());
  stay.first_step = schedule_.steps.size();
  stay.step_count = static_cast<std::uint32_t>(t.steps.size());
  schedule_.steps.insert(schedule_.steps.end(), t.steps.begin(), t.steps.end());
  schedule_.stays.push_back(stay);
  t.placed = false;
}

// What the view shows may differ from what was decided: a start that failed, a job that ended unseen.
void ScheduleCollector::resync(const ClusterView& view) {
  const Seconds now = view.now;
  tracks_.resize(std::max(tracks_.size(), view.jobs.size()));
  for (JobSlot slot = 0; slot < tracks_.size(); ++slot) {
    Track& t = tracks_[slot];
    const bool present = slot < view.jobs.size() && view.jobs[slot].state != JobState::absent;
    if (t.here && (!present || schedule_.jobs[t.job].id != view.jobs[slot].id)) {
      close(t, StayEnd::completed, now);
      schedule_.jobs[t.job].end = now;
      t.here = false;
    }
    if (!present) continue;
    const JobView& seen = view.jobs[slot];
    if (!t.here) submit(view, slot);
    const bool running = seen.state == JobState::running;
    if (t.placed && running && std::ranges::equal(t.nodes, seen.nodes)) continue;
    close(t, running ? StayEnd::moved : StayEnd::paused, now);
    if (running) {
      place(t, seen.nodes, StayBegin::already, now);
      t.progress = seen.clock.at(now);
      t.steps.push_back({now, seen.yield});
    }
  }
}

void ScheduleCollector::on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) {
  const Seconds now = view.now;
  if (stories_) stories_->step(view, events, decisions);
  take_nodes(view);
  if (!begun_) schedule_.begin = now;
  begun_ = true;
  schedule_.end = now;
  for (const Event& event : events) {
    if (event.kind == EventKind::resync) {
      resync(view);
    } else if (event.kind == EventKind::submitted) {
      const bool again = event.job < tracks_.size() && tracks_[event.job].here;
      if (!again) submit(view, event.job);
    } else if (event.kind == EventKind::completed && event.job < tracks_.size() && tracks_[event.job].here) {
      Track& t = tracks_[event.job];
      serve(t.stay, view.jobs[event.job].clock, t.progress, t.seen, now);
      close(t, StayEnd::completed, now);
      schedule_.jobs[t.job].end = now;
      t.here = false;
    }
  }
  for (const Decision& decision : decisions.placements) {
    Track& t = track(view, decision.job);
    serve(t.stay, view.jobs[decision.job].clock, t.progress, t.seen, now);
    const bool pause = decision.kind == DecisionKind::pause;
    close(t, pause ? StayEnd::paused : StayEnd::moved, now);
    if (!pause) place(t, decisions.nodes_of(decision), begin_of(decision.kind), now);
    t.progress = view.jobs[decision.job].clock.at(now);
  }
  for (const YieldChange& change : decisions.yields) {
    Track& t = track(view, change.job);
    if (!t.placed) continue;
    if (t.seen < now) serve(t.stay, view.jobs[change.job].clock, t.progress, t.seen, now);
    t.seen = now;
    if (!t.steps.empty() && t.steps.back().at == now) {
      t.steps.back().yield = change.yield;
    } else {
      t.steps.push_back({now, change.yield});
    }
  }
}

// Jobs that were kept back from the policy come later than others that were submitted after them.
void ScheduleCollector::sort_jobs() {
  std::vector<ScheduleJob>& jobs = schedule_.jobs;
  const auto earlier = [](const ScheduleJob& a, const ScheduleJob& b) { return a.submit < b.submit; };
  if (std::is_sorted(jobs.begin(), jobs.end(), earlier)) return;
  std::vector<std::uint32_t> order(jobs.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return earlier(jobs[a], jobs[b]); });
  std::vector<ScheduleJob> sorted;
  std::vector<std::uint32_t> place(jobs.size());
  for (const std::uint32_t job : order) {
    place[job] = static_cast<std::uint32_t>(sorted.size());
    sorted.push_back(jobs[job]);
  }
  jobs = std::move(sorted);
  for (Stay& stay : schedule_.stays) stay.job = place[stay.job];
}

Schedule ScheduleCollector::finish() {
  for (Track& t : tracks_) {
    if (t.here) close(t, StayEnd::open, schedule_.end);
  }
  sort_jobs();
  std::stable_sort(schedule_.stays.begin(), schedule_.stays.end(),
                   [](const Stay& a, const Stay& b) { return a.from < b.from; });
  if (stories_) schedule_.told = told_of(*stories_, schedule_);
  return std::move(schedule_);
}

Schedule ScheduleCollector::finish(const Instance& instance) {
  Schedule schedule = finish();
  // A simulation submits the jobs of the instance in their order, unless some wait for licences.
  if (instance.platform.licences.empty()) {
    for (std::size_t k = 0; k < schedule.jobs.size() && k < instance.jobs.size(); ++k) {
      schedule.jobs[k].run_time = instance.jobs[k].run_time;
    }
    return schedule;
  }
  std::unordered_map<JobId, Seconds> run_times;
  for (const Job& job : instance.jobs) run_times[job.id] = job.run_time;
  for (timeline::ScheduleJob& job : schedule.jobs) job.run_time = run_times[job.id];
  return schedule;
}

}  // namespace dfrs::sim
