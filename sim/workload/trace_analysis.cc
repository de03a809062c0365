// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/trace_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace dfrs::sim {
namespace {

Spread spread_of(const std::vector<double>& values) {
  Spread spread;
  for (const double value : values) spread.mean += value / static_cast<double>(values.size());
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  spread.min = *least;
  spread.max = *most;
  return spread;
}

}  // namespace

Result<TraceAnalysis> analyse_trace(const Instance& instance) {
  if (instance.jobs.size() < 2) {
    return input_error(fmt::format("{}: at least two jobs are needed to learn anything from them", instance.name));
  }
  TraceAnalysis found;
  found.jobs = instance.jobs.size();
  found.machine_width = instance.platform.nodes.size();
  std::vector<double> estimates, run_times, gaps;
  double width = 0;
  for (std::size_t k = 0; k < instance.jobs.size(); ++k) {
    const Job& job = instance.jobs[k];
    found.max_width = std::max(found.max_width, job.tasks);
    width += job.tasks;
    estimates.push_back(job.estimate);
    run_times.push_back(job.run_time);
    found.overruns += job.run_time > job.estimate ? 1 : 0;
    if (k > 0) gaps.push_back(job.submit - instance.jobs[k - 1].submit);
  }
  found.mean_width = width / static_cast<double>(found.jobs);
  found.estimate = spread_of(estimates);
  found.run_time = spread_of(run_times);
  found.interarrival = spread_of(gaps);
  found.arrivals = fit_weibull(gaps);
  return found;
}

}  // namespace dfrs::sim
