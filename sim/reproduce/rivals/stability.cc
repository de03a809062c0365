// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/reproduce/rivals/stability.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "policy/rr7659/options.h"
#include "sim/metrics/metrics.h"
#include "sim/reproduce/lublin_set.h"

namespace dfrs::sim::rivals {
namespace {

constexpr std::string_view kRepacking = "GreedyPM*/per/MINVT=600";
constexpr std::string_view kWithout = "GreedyPM*";
constexpr std::array<double, 7> kPeriods{120, 300, 600, 900, 1800, 3600, 7200};
constexpr int kShort = 1000;  // jobs
constexpr int kLong = 4000;
constexpr std::size_t kWorkloads = 5;

struct Case {
  double load;
  Seconds penalty;
};
constexpr std::array<Case, 5> kCases{{{0.5, 300}, {0.7, 300}, {0.9, 300}, {0.7, 60}, {0.7, 600}}};

constexpr std::array<Case, 3> kWithoutCases{{{0.5, 300}, {0.7, 300}, {0.9, 300}}};

std::size_t workloads(const ReproduceOptions& options) {
  return options.instances == 0 ? kWorkloads : options.instances;
}

PlannedSet set_of(const ReproduceOptions& options, double load, int jobs) {
  PlannedSet set;
  set.size = workloads(options);
  set.name = fmt::format("{} lublin from {} of {} jobs, load {}", set.size, options.seed, jobs, load);
  set.make = [load, jobs, size = set.size, seed = options.seed] {
    LublinOptions lublin;
    lublin.jobs = jobs;
    return lublin_set(lublin, seed, size, load);
  };
  return set;
}

CampaignOptions settings(double period, Seconds penalty) {
  CampaignOptions options;
  options.sim.penalty = penalty;
  options.sim.engine.of<DfrsOptions>().period = period;
  return options;
}

// Mean stretch of the long workload over that of the short one, seed by seed.
std::vector<double> growth(const ReproduceOptions& options, const CampaignPlan& plan, std::string_view algorithm,
                           double load, const CampaignOptions& with) {
  const auto brief = plan.rows(set_of(options, load, kShort).name, algorithm, with);
  const auto lasting = plan.rows(set_of(options, load, kLong).name, algorithm, with);
  std::vector<double> values;
  for (std::size_t k = 0; k < brief.size(); ++k)
    values.push_back(lasting[k].metrics.mean_stretch / brief[k].metrics.mean_stretch);
  return values;
}

}  // namespace

void need_stability(const ReproduceOptions& options, CampaignPlan& plan) {
  for (const Case& one : kCases) {
    for (const double period : kPeriods) {
      for (const int jobs : {kShort, kLong})
        plan.need(set_of(options, one.load, jobs), kRepacking, settings(period, one.penalty));
    }
  }
}

void show_stability(std::string_view part, const ReproduceOptions& options, const CampaignPlan& plan,
                    ReproductionReport& report) {
  for (const double period : kPeriods) {
    for (const Case& one : kCases) {
      report.add_mean(
          {std::string(part), fmt::format("{}", period), fmt::format("load {}, {} s", one.load, one.penalty), {}, 0},
          growth(options, plan, kRepacking, one.load, settings(period, one.penalty)));
    }
  }
  report.plot({std::string(part), "period (s)", "growth of the mean stretch", true, true});
  report.note(
      std::string(part),
      fmt::format("{}: mean stretch of {} jobs over that of {}, by load and penalty; {} Lublin workloads. About "
                  "{}: it grows with the length of the workload, without end.",
                  kRepacking, kLong, kShort, workloads(options), kLong / kShort));
}

void need_stability_without(const ReproduceOptions& options, CampaignPlan& plan) {
  for (const Case& one : kWithoutCases) {
    for (const int jobs : {kShort, kLong})
      plan.need(set_of(options, one.load, jobs), kWithout, settings(kPeriods[0], one.penalty));
  }
}

void show_stability_without(std::string_view part, const ReproduceOptions& options, const CampaignPlan& plan,
                            ReproductionReport& report) {
  for (const Case& one : kWithoutCases) {
    report.add_mean({std::string(part), fmt::format("load {}, {} s", one.load, one.penalty), "growth", {}, 0},
                    growth(options, plan, kWithout, one.load, settings(kPeriods[0], one.penalty)));
  }
  report.note(std::string(part),
              fmt::format("{} on the workloads of stability: it grows because a workload begins on an empty cluster.",
                          kWithout));
}

namespace {

constexpr std::array<double, 5> kLogPeriods{600, 900, 1800, 3600, 7200};
constexpr std::array<std::string_view, 2> kRepackingOnLogs{"GreedyPM*/per/MINVT=600", "MCB8*/per/MINVT=600"};
constexpr std::array<std::string_view, 3> kWithoutPeriod{"GreedyPM*", "GreedyP*", "Triage"};

CampaignOptions on_log(const RivalSet& log, double period) {
  CampaignOptions options = log.options;
  options.sim.engine.of<DfrsOptions>().period = period;
  return options;
}

}  // namespace

void need_stable(const RivalSet& log, CampaignPlan& plan) {
  if (log.size == 0) return;
  for (const double period : kLogPeriods) {
    for (const std::string_view algorithm : kRepackingOnLogs) plan.need(log, algorithm, on_log(log, period));
  }
  for (const std::string_view algorithm : kWithoutPeriod) plan.need(log, algorithm, log.options);
}

void show_stable(std::string_view part, const RivalSet& log, const CampaignPlan& plan, ReproductionReport& report) {
  report.note(std::string(part), log.sentence);
  if (log.size == 0) return;
  const auto add = [&](double period, std::string_view algorithm, const CampaignOptions& options) {
    const ResultRow& row = plan.rows(log.name, algorithm, options).front();
    Comparison cell{std::string(part), fmt::format("{}", period), std::string(algorithm), {}, 0};
    if (row.ran_away()) {
      cell.words = "ran away";
    } else {
      cell.measured = row.metrics.mean_stretch;
    }
    report.add(std::move(cell));
  };
  for (const double period : kLogPeriods) {
    for (const std::string_view algorithm : kRepackingOnLogs) add(period, algorithm, on_log(log, period));
    for (const std::string_view algorithm : kWithoutPeriod) add(period, algorithm, log.options);
  }
  report.plot({std::string(part), "period (s)", "mean stretch", true, true});
  report.note(std::string(part),
              fmt::format("Mean bounded stretch. {} have no period.", fmt::join(kWithoutPeriod, ", ")));
}

}  // namespace dfrs::sim::rivals
