// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/advise/worst_day.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/advise/recommendation.h"
#include "sim/timeline/collector.h"

namespace dfrs::sim {
namespace {

constexpr Seconds kDay = 86400;

// Adds the job's wait to the days that it falls into, counted from `begin`.
void add_wait(std::map<std::int64_t, double>& days, Seconds begin, Seconds from, Seconds to) {
  while (from < to) {
    const auto day = static_cast<std::int64_t>(std::floor((from - begin) / kDay));
    const Seconds until = std::min(to, begin + static_cast<double>(day + 1) * kDay);
    days[day] += until - from;
    from = until;
  }
}

Result<timeline::Schedule> schedule_of(const Trial& trial, std::size_t sample, const StudyOptions& options) {
  const auto algorithm = parse_algorithm(trial.algorithm);
  if (!algorithm) return usage_error(algorithm.error().message);
  const Instance& instance = (*trial.samples)[sample];
  ScheduleCollector collector(short_name(trial.algorithm), true);
  const RunOutcome run =
      simulate_sample(instance, *algorithm, trial, options, {.observer = &collector, .explains = true});
  if (!run) return tl::unexpected(run.error());
  return collector.finish(instance);
}

}  // namespace

timeline::Schedule part_of(const timeline::Schedule& schedule, Seconds from, Seconds to) {
  timeline::Schedule part;
  part.algorithm = schedule.algorithm;
  part.node_cpu = schedule.node_cpu;
  part.node_memory = schedule.node_memory;
  part.begin = from;
  part.end = to;
  std::vector<std::uint32_t> number(schedule.jobs.size());
  std::vector<bool> here(schedule.jobs.size());
  for (std::size_t k = 0; k < schedule.jobs.size(); ++k) {
    const timeline::ScheduleJob& job = schedule.jobs[k];
    here[k] = job.submit < to && (job.end < 0 || job.end > from);
    number[k] = static_cast<std::uint32_t>(part.jobs.size());
    if (!here[k]) continue;
    part.jobs.push_back(job);
    if (!schedule.told.empty()) part.told.push_back(schedule.told[k]);
  }
  for (const timeline::Stay& stay : schedule.stays) {
    if (!here[stay.job] || stay.from >= to || stay.to <= from) continue;
    timeline::Stay& kept = part.stays.emplace_back(stay);
    kept.job = number[stay.job];
    kept.first_node = part.nodes.size();
    kept.first_step = part.steps.size();
    const auto nodes = schedule.nodes_of(stay);
    const auto steps = schedule.steps_of(stay);
    part.nodes.insert(part.nodes.end(), nodes.begin(), nodes.end());
    part.steps.insert(part.steps.end(), steps.begin(), steps.end());
  }
  return part;
}

Result<std::optional<WorstDay>> worst_day(const std::vector<Trial>& trials, const StudyOptions& options) {
  const Trial& today = trials.front();
  const auto algorithm = parse_algorithm(today.algorithm);
  if (!algorithm) return usage_error(algorithm.error().message);
  WorstDay worst;
  for (std::size_t s = 0; s < today.samples->size(); ++s) {
    const Instance& sample = (*today.samples)[s];
    if (sample.jobs.empty()) continue;
    const RunOutcome run = simulate_sample(sample, *algorithm, today, options, {});
    if (!run) return tl::unexpected(run.error());
    const Seconds begin = sample.jobs.front().submit;
    std::map<std::int64_t, double> days;
    for (std::size_t k = 0; k < sample.jobs.size(); ++k) {
      add_wait(days, begin, sample.jobs[k].submit, run->jobs[k].start);
    }
    for (const auto& [day, waited] : days) {
      if (!(waited / kDay > worst.waiting)) continue;
      worst.sample = s;
      worst.from = begin + static_cast<double>(day) * kDay;
      worst.to = worst.from + kDay;
      worst.waiting = waited / kDay;
    }
  }
  if (worst.waiting <= 0) return std::nullopt;
  for (const Trial& trial : trials) {
    const Result<timeline::Schedule> schedule = schedule_of(trial, worst.sample, options);
    if (!schedule) return tl::unexpected(schedule.error());
    worst.schedules.push_back(part_of(*schedule, worst.from, worst.to));
  }
  return worst;
}

}  // namespace dfrs::sim
