// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/metrics/metrics.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace dfrs::sim {

double bounded_stretch(const Job& job, const JobRecord& record, Seconds floor) {
  return std::max(record.end - job.submit, floor) / std::max(job.run_time, floor);
}

namespace {

void measure_short_jobs(const Instance& instance, const RunResult& run, Metrics& m) {
  std::vector<double> waits;
  for (std::size_t k = 0; k < instance.jobs.size(); ++k) {
    const Job& job = instance.jobs[k];
    if (job.run_time <= kShortJob) waits.push_back(run.jobs[k].start - job.submit);
  }
  if (waits.empty()) return;
  for (const double wait : waits) m.short_wait += wait / static_cast<double>(waits.size());
  m.short_wait_p95 = take_nearest_rank(waits, 0.95);
}

void measure_users(const Instance& instance, const RunResult& run, Seconds stretch_floor, Metrics& m) {
  struct Stretches {
    double sum = 0;
    double jobs = 0;
  };
  std::map<std::uint32_t, Stretches> users;
  for (std::size_t k = 0; k < instance.jobs.size(); ++k) {
    Stretches& user = users[instance.jobs[k].user];
    user.sum += bounded_stretch(instance.jobs[k], run.jobs[k], stretch_floor);
    user.jobs += 1;
  }
  double sum = 0;
  double squares = 0;
  for (const auto& [number, user] : users) {
    const double mean = user.sum / user.jobs;
    sum += mean;
    squares += mean * mean;
    m.worst_user = std::max(m.worst_user, mean);
  }
  m.user_fairness = sum * sum / (static_cast<double>(users.size()) * squares);
}

}  // namespace

Metrics measure(const Instance& instance, const RunResult& run, Seconds stretch_floor) {
  Metrics m;
  const auto jobs = static_cast<double>(instance.jobs.size());
  if (instance.jobs.empty()) return m;
  double work = 0;
  double pauses = 0;
  double moves = 0;
  double width = 0;
  std::vector<double> stretches;
  stretches.reserve(instance.jobs.size());
  m.slowdown60_by_width = 0;
  m.max_stretch = 0;
  m.mean_stretch = 0;
  for (std::size_t k = 0; k < instance.jobs.size(); ++k) {
    const Job& job = instance.jobs[k];
    const JobRecord& record = run.jobs[k];
    const double stretch = bounded_stretch(job, record, stretch_floor);
    m.max_stretch = std::max(m.max_stretch, stretch);
    m.mean_stretch += stretch / jobs;
    stretches.push_back(stretch);
    m.response_by_width += job.tasks * (record.end - job.submit);
    m.slowdown60_by_width += job.tasks * bounded_stretch(job, record, 60);
    width += job.tasks;
    m.mean_wait += (record.start - job.submit) / jobs;
    m.mean_turnaround += (record.end - job.submit) / jobs;
    m.makespan = std::max(m.makespan, record.end);
    work += Instance::work(job);
    pauses += record.pauses;
    moves += record.moves;
    m.losses_per_job += record.lost_runs / jobs;
  }
  m.makespan -= instance.jobs.front().submit;
  m.response_by_width /= width;
  m.slowdown60_by_width /= width;
  m.stretch_p50 = take_nearest_rank(stretches, 0.5);
  m.stretch_p90 = take_nearest_rank(stretches, 0.9);
  m.stretch_p95 = take_nearest_rank(stretches, 0.95);
  m.stretch_p99 = take_nearest_rank(stretches, 0.99);
  measure_short_jobs(instance, run, m);
  measure_users(instance, run, stretch_floor, m);
  m.pauses = pauses;
  m.moves = moves;
  const Seconds span = m.makespan;
  m.pauses_per_job = pauses / jobs;
  m.moves_per_job = moves / jobs;
  if (span > 0) {
    m.loss_of_capacity = run.idle_while_waiting / (static_cast<double>(instance.platform.nodes.size()) * span);
    m.utilization = work / (instance.platform.total_cpu() * span);
    m.pauses_per_hour = pauses / span * 3600;
    m.moves_per_hour = moves / span * 3600;
    m.pause_gb_per_s = run.paused_mib / 1024 / span;
    m.move_gb_per_s = run.moved_mib / 1024 / span;
  }
  // All jobs complete, so the work done is that of the workload. Paused jobs and jobs in penalty do none.
  if (work > 0) m.work_lost = run.lost_work / work;
  if (work > 0) m.underutilization = std::max(0.0, run.demand - work) / work;
  return m;
}

namespace {
std::size_t rank_of(std::size_t count, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(count)));
  return std::max<std::size_t>(rank, 1) - 1;
}
}  // namespace

double nearest_rank(std::span<const double> sorted, double share) { return sorted[rank_of(sorted.size(), share)]; }

double take_nearest_rank(std::span<double> values, double share) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank_of(values.size(), share));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

Summary summarize(std::span<const double> values) {
  Summary s;
  s.count = values.size();
  if (values.empty()) return s;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<double>(sorted.size());
  for (double v : sorted) s.mean += v / n;
  for (double v : sorted) s.stddev += (v - s.mean) * (v - s.mean);
  s.stddev = sorted.size() > 1 ? std::sqrt(s.stddev / (n - 1)) : 0.0;
  const std::size_t half = sorted.size() / 2;
  s.median = sorted.size() % 2 != 0 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  s.p90 = nearest_rank(sorted, 0.9);
  s.max = sorted.back();
  return s;
}

}  // namespace dfrs::sim
