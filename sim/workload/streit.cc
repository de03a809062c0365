// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/streit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "sim/errors.h"
#include "sim/workload/scale.h"
#include "sim/workload/trace_analysis.h"

namespace dfrs::sim {
namespace {

// Round times that users give as estimates.
constexpr std::array<double, 25> kRoundTimes{60,    120,   300,    600,    900,    1200,   1800,  2700,  3600,
                                             5400,  7200,  10800,  14400,  21600,  28800,  36000, 43200, 54000,
                                             64800, 86400, 129600, 172800, 259200, 432000, 604800};
constexpr int kShares = 40;       // classes of run time / estimate
constexpr Seconds kOverrun = 60;  // by how much jobs outlast their estimates

// The x in [low, high] at which a rising function reaches `target`. Errors: kExitUsage if it does not.
template <typename Function>
Result<double> solve_rising(Function&& function, double target, double low, double high, const char* what) {
  if (!(function(low) <= target && target <= function(high))) {
    return usage_error(fmt::format("no job set has these properties: {} cannot be met together with the others", what));
  }
  for (int round = 0; round < 100; ++round) {
    const double middle = (low + high) / 2;
    (function(middle) < target ? low : high) = middle;
  }
  return (low + high) / 2;
}

// Values with frequencies proportional to value^power.
struct PowerLaw {
  std::vector<double> values;

  void frequencies(double power, std::vector<double>& out) const {
    out.clear();
    double sum = 0;
    for (const double value : values) {
      out.push_back(std::exp(power * std::log(value / values.back())));
      sum += out.back();
    }
    for (double& frequency : out) frequency /= sum;
  }
  double mean(double power) const {
    std::vector<double> share;
    frequencies(power, share);
    double mean = 0;
    for (std::size_t k = 0; k < values.size(); ++k) mean += share[k] * values[k];
    return mean;
  }
};

double share_of(int index, double power) { return std::pow((index + 0.5) / kShares, power); }

double mean_share(double power) {
  double sum = 0;
  for (int k = 0; k < kShares; ++k) sum += share_of(k, power);
  return sum / kShares;
}

}  // namespace

Result<JobSetModel> learn_model(const Instance& instance) {
  const Result<TraceAnalysis> found = analyse_trace(instance);
  if (!found) return tl::unexpected(found.error());
  return JobMatrix::of(instance).map([&](JobMatrix matrix) {
    return JobSetModel{instance.name, static_cast<int>(found->machine_width), found->arrivals.weibull,
                       std::move(matrix)};
  });
}

Result<JobSetModel> model_of(const JobSetProperties& p) {
  PowerLaw widths;
  for (int width = 1; width < p.max_width; width *= 2) widths.values.push_back(width);
  widths.values.push_back(p.max_width);
  PowerLaw estimates;
  for (const double value : kRoundTimes) {
    if (value < p.max_estimate) estimates.values.push_back(value);
  }
  estimates.values.push_back(p.max_estimate);

  Result<void> solvable;  // or the first property that cannot be met; what depends on it means nothing
  const auto solve = [&](auto&& function, double target, double low, double high, const char* what) {
    const Result<double> found = solve_rising(function, target, low, high, what);
    if (!found && solvable) solvable = tl::unexpected(found.error());
    return found ? *found : low;
  };
  constexpr double kSteep = 20;  // a power that puts all weight on one end
  const double width_power =
      solve([&](double power) { return widths.mean(power); }, p.mean_width, -kSteep, kSteep, "the mean width");
  std::vector<double> width_share;
  widths.frequencies(width_power, width_share);

  // Run times: a share u^power of the estimate. Mean run time = (1 - q) share x estimate + q (estimate + overrun).
  const double q = p.overrun_share;
  const double wanted_share = (p.mean_run_time - q * (p.mean_estimate + kOverrun)) / ((1 - q) * p.mean_estimate);
  const double share_power = -solve([](double x) { return mean_share(-x); }, wanted_share, -50, 0, "the mean run time");
  const double killed_share = (1 - q) * wanted_share + q;  // of the estimate, without overruns

  // Estimates: frequency of v for jobs of width w is v^(power + bias ln w). The bias correlates width with length.
  std::vector<double> estimate_share;
  const auto mean_estimate = [&](double power, double bias) {
    double mean = 0;
    for (std::size_t w = 0; w < widths.values.size(); ++w) {
      mean += width_share[w] * estimates.mean(power + bias * std::log(widths.values[w]));
    }
    return mean;
  };
  const auto power_for = [&](double bias) {
    return solve([&](double power) { return mean_estimate(power, bias); }, p.mean_estimate, -2 * kSteep, 2 * kSteep,
                 "the mean estimate");
  };
  const auto mean_area = [&](double bias) {
    const double power = power_for(bias);
    double area = 0;
    for (std::size_t w = 0; w < widths.values.size(); ++w) {
      area +=
          width_share[w] * widths.values[w] * estimates.mean(power + bias * std::log(widths.values[w])) * killed_share;
    }
    return area;
  };
  double bias = 0;
  if (p.utilization > 0) {
    const double area = p.utilization * p.machine_width * p.mean_interarrival;
    bias = solve(mean_area, area, -2, 2, "the utilization");
  }
  const double power = power_for(bias);
  if (!solvable) return tl::unexpected(std::move(solvable).error());

  std::vector<JobMatrix::Cell> cells;
  for (std::size_t w = 0; w < widths.values.size(); ++w) {
    const int width = static_cast<int>(widths.values[w]);
    estimates.frequencies(power + bias * std::log(widths.values[w]), estimate_share);
    for (std::size_t v = 0; v < estimates.values.size(); ++v) {
      const double weight = width_share[w] * estimate_share[v];
      if (weight < 1e-9) continue;
      const Seconds estimate = estimates.values[v];
      for (int k = 0; k < kShares; ++k) {
        const Seconds run_time = std::max(1.0, std::round(estimate * share_of(k, share_power)));
        cells.push_back({width, estimate, run_time, weight * (1 - q) / kShares});
      }
      if (q > 0) cells.push_back({width, estimate, estimate + kOverrun, weight * q});
    }
  }
  return JobSetModel{p.name, p.machine_width, p.arrivals, JobMatrix(std::move(cells))};
}

Result<Instance> job_set(const JobSetModel& model, const JobSetOptions& options) {
  if (options.jobs < 1 || options.jobs > 10'000'000) {
    return usage_error(fmt::format("jobs: {}, expected 1 to 10,000,000", options.jobs));
  }
  if (options.max_width < 0)
    return usage_error(fmt::format("largest width: {}, expected at least 1", options.max_width));
  Instance instance;
  instance.name = fmt::format("{}-syn-{}", model.name, options.seed);
  instance.platform = Platform::homogeneous(static_cast<std::size_t>(model.machine_width), 0);
  // Separate streams, so that draws for one do not shift the other.
  Random arrivals(options.seed, 1);
  Random jobs(options.seed, 2);
  Seconds submit = 0;
  for (int k = 0; k < options.jobs; ++k) {
    const JobMatrix::Cell& cell = model.matrix.draw(jobs);
    if (k > 0) submit += model.arrivals.draw(arrivals);
    Job job;
    job.submit = std::floor(submit);
    job.run_time = cell.run_time;
    job.estimate = cell.estimate;
    int left = std::min(cell.width, model.machine_width);
    const int widest = options.max_width > 0 ? options.max_width : left;
    for (; left > 0; left -= job.tasks) {
      job.id = instance.jobs.size() + 1;
      job.tasks = std::min(left, widest);
      instance.jobs.push_back(job);
    }
  }
  if (options.shrink != 1) instance.name += fmt::format("-shrink-{}", options.shrink);
  // Also by 1, because it checks the last submission.
  if (auto shrunk = shrink(instance, options.shrink); !shrunk) return tl::unexpected(std::move(shrunk).error());
  if (options.kill) kill_at_estimates(instance);
  if (options.exact) {
    for (Job& job : instance.jobs) job.estimate = job.run_time;
  }
  return instance;
}

std::size_t kill_at_estimates(Instance& instance) {
  std::size_t cut = 0;
  for (Job& job : instance.jobs) {
    if (job.run_time <= job.estimate) continue;
    job.run_time = job.estimate;
    ++cut;
  }
  return cut;
}

}  // namespace dfrs::sim
