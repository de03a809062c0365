// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/metrics/schedule_metrics.h"

#include <algorithm>
#include <vector>

namespace dfrs::sim {
namespace {

// A change in the number of held nodes and of waiting jobs.
struct Change {
  Seconds time;
  std::int64_t held;
  std::int64_t waiting;
};

}  // namespace

ScheduleMetrics measure_schedule(const Instance& instance, const RunResult& run) {
  ScheduleMetrics m;
  if (instance.jobs.empty()) return m;
  const auto nodes = static_cast<double>(instance.platform.nodes.size());
  const auto jobs = static_cast<double>(instance.jobs.size());
  std::vector<Change> changes;
  changes.reserve(3 * instance.jobs.size());
  double area = 0;
  double width = 0;
  Seconds last_end = 0;
  for (std::size_t k = 0; k < instance.jobs.size(); ++k) {
    const Job& job = instance.jobs[k];
    const JobRecord& record = run.jobs[k];
    const Seconds response = record.end - job.submit;
    const Seconds held = record.end - record.start;
    m.wait += (record.start - job.submit) / jobs;
    m.response += response / jobs;
    m.response_by_width += job.tasks * response;
    m.slowdown60_by_width += job.tasks * std::max(response, 60.0) / std::max(held, 60.0);
    m.slowdown300_by_width += job.tasks * std::max(response, 300.0) / std::max(held, 300.0);
    area += job.tasks * held;
    width += job.tasks;
    last_end = std::max(last_end, record.end);
    changes.push_back({job.submit, 0, 1});
    changes.push_back({record.start, job.tasks, -1});
    changes.push_back({record.end, -job.tasks, 0});
  }
  m.response_by_width /= width;
  m.slowdown60_by_width /= width;
  m.slowdown300_by_width /= width;
  const Seconds span = last_end - instance.jobs.front().submit;
  if (!(span > 0)) return m;
  m.utilization = area / (nodes * span);

  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.time < b.time; });
  std::int64_t held = 0;
  std::int64_t waiting = 0;
  for (std::size_t k = 0; k + 1 < changes.size(); ++k) {
    held += changes[k].held;
    waiting += changes[k].waiting;
    const Seconds length = changes[k + 1].time - changes[k].time;
    if (waiting > 0) m.loss_of_capacity += (nodes - static_cast<double>(held)) * length;
    m.backlog += static_cast<double>(waiting) * length;
  }
  m.loss_of_capacity /= nodes * span;
  m.backlog /= span;
  return m;
}

void DynpStatistics::on_decision(const DynpDecision& decision) {
  ++decisions_;
  backlog_ += static_cast<double>(decision.backlog);
  if (decision.found) ++cases_[static_cast<std::size_t>(*decision.found)];
  if (decision.after != decision.before) ++switches_[static_cast<std::size_t>(decision.after)];
}

void DynpStatistics::on_start(JobSlot, QueueOrder policy) { ++started_[static_cast<std::size_t>(policy)]; }

}  // namespace dfrs::sim
