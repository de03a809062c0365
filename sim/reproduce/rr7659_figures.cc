// SPDX-License-Identifier: GPL-2.0-or-later
// Figures 1 and 3 to 9. The paper's text gives none of their values. Notes set what it says about them beside the same
// statement about ours.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "sim/metrics/metrics.h"
#include "sim/reproduce/rr7659_parts.h"

namespace dfrs::sim::rr7659 {
namespace {

constexpr std::string_view kBest = "GreedyPM*/per/OPT=MIN/MINVT=600";

// Figure 1's selection: batch, the Greedy and GreedyPM versions, and those with only MCB8.
constexpr std::array<std::string_view, 15> kSelected{"FCFS",
                                                     "EASY",
                                                     "Greedy*/OPT=MIN",
                                                     "GreedyPM*/OPT=MIN",
                                                     "Greedy/per/OPT=MIN",
                                                     "GreedyPM/per/OPT=MIN",
                                                     "Greedy*/per/OPT=MIN",
                                                     "GreedyPM*/per/OPT=MIN",
                                                     "GreedyPM/per/OPT=MIN/MINVT=600",
                                                     "GreedyPM*/per/OPT=MIN/MINVT=600",
                                                     "MCB8*/OPT=MIN/MINVT=600",
                                                     "MCB8/per/OPT=MIN/MINVT=600",
                                                     "MCB8*/per/OPT=MIN/MINVT=600",
                                                     "/per/OPT=MIN/MINVT=600",
                                                     "/stretch-per/OPT=MAX/MINVT=600"};

// The paper does not say which periods it measured.
constexpr std::array<double, 18> kPeriods{600,  900,   1200,  1800,  2400,  3600,  4800,  6000,  7200,
                                          9000, 12000, 15000, 18000, 24000, 30000, 40000, 50000, 60000};
constexpr Seconds kShort = 12000;  // the end of the axis of figures 3, 4 and 9

std::span<const double> periods_of(std::string_view figure) {
  const std::span<const double> all = kPeriods;
  if (figure >= "figure5" && figure <= "figure8") return all;
  return all.first(static_cast<std::size_t>(std::find(all.begin(), all.end(), kShort) - all.begin()) + 1);
}

// The set that a figure of underutilization is about.
const PaperSet& set_of(std::string_view figure) {
  if (figure == "figure3a" || figure == "figure5") return kPaperSets[0];
  if (figure == "figure3b" || figure == "figure6") return kPaperSets[1];
  return kPaperSets[2];
}

double mean_over(const Experiments& experiments, std::span<const Set> sets, std::string_view algorithm, Seconds period,
                 double (*value)(const ResultRow&)) {
  return summarize(experiments.values(sets, algorithm, period, value)).mean;
}

double degradation(const ResultRow& row) { return row.degradation(); }
double underutilization(const ResultRow& row) { return row.metrics.underutilization; }

std::string number(double value) { return fmt::format("{}", value); }

}  // namespace

// Figure 1.

void need_degradations_by_load(std::string_view, Experiments& experiments) {
  for (const std::string_view algorithm : kSelected) {
    experiments.need(Set::scaled_low, algorithm);
    experiments.need(Set::scaled_high, algorithm);
  }
}

Result<void> show_degradations_by_load(std::string_view part, const Experiments& experiments,
                                       ReproductionReport& report) {
  const auto show = [&](Set set, std::span<const double> loads) {
    for (std::size_t l = 0; l < loads.size(); ++l) {
      for (const std::string_view algorithm : kSelected) {
        const std::span<const ResultRow> rows = experiments.rows(set, algorithm);
        const std::size_t each = rows.size() / loads.size();
        std::vector<double> values;
        for (const ResultRow& row : rows.subspan(l * each, each)) values.push_back(degradation(row));
        report.add_mean({std::string(part), number(loads[l]), std::string(algorithm), {}}, values);
      }
    }
  };
  show(Set::scaled_low, kLowLoads);
  show(Set::scaled_high, kHighLoads);
  report.plot({std::string(part), "load", "average degradation from bound", false, true});
  report.note(std::string(part), experiments.describe(Set::scaled_low));
  report.note(std::string(part),
              "The paper: GreedyPM*/per with MINVT=600 is the best at every load, about 3 from the bound at low loads "
              "and 7.5 at high ones; GreedyPM* is good at low loads and falls behind beyond 0.3.");
  return {};
}

// Underutilization against the period: figures 3, 5, 6 and 7.

void need_underutilization_by_period(std::string_view part, Experiments& experiments) {
  for (const Set set : set_of(part).sets) {
    for (const std::string_view easy : {std::string_view("EASY"), kExtraOnly}) experiments.need(set, easy);
    for (const double period : periods_of(part)) experiments.need(set, kBest, period);
  }
}

Result<void> show_underutilization_by_period(std::string_view part, const Experiments& experiments,
                                             ReproductionReport& report) {
  const PaperSet& of = set_of(part);
  report.note(std::string(part), experiments.describe(of.sets.front()));
  if (!experiments.has(of.sets.front())) return {};
  double below_easy = 0;  // the first period at which DFRS has less underutilization
  double below_extra = 0;
  for (const double period : periods_of(part)) {
    const auto add = [&](std::string_view algorithm) {
      const std::vector<double> values = experiments.values(of.sets, algorithm, period, underutilization);
      report.add_mean({std::string(part), number(period), std::string(algorithm), {}}, values,
                      experiments.traces_of(of.sets));
      return summarize(values).mean;
    };
    const double easy = add("EASY");
    const double extra = add(kExtraOnly);
    const double best = add(kBest);
    if (below_easy == 0 && best < easy) below_easy = period;
    if (below_extra == 0 && best < extra) below_extra = period;
  }
  report.plot(
      {std::string(part), "period (s)", "normalized underutilization", periods_of(part).back() > kShort, false});
  report.note(
      std::string(part),
      of.sets.front() == Set::hpc2n
          ? "The paper: EASY stays at about 0.064, DFRS falls to a plateau at about 0.118 and then rises slowly, "
            "above EASY at every period."
          : "The paper: DFRS falls below EASY beyond a period of 900 s and rises again beyond 15,000 s.");
  const auto where = [](double period) {
    return period == 0 ? std::string("at no period measured") : fmt::format("first at {} s", period);
  };
  report.note(std::string(part), fmt::format("Here DFRS is below EASY {}, below {} {}.", where(below_easy), kExtraOnly,
                                             where(below_extra)));
  return {};
}

// Degradation against the period: figures 4 and 8.

void need_degradations_by_period(std::string_view part, Experiments& experiments) {
  for (const Set set : kSets) {
    for (const double period : periods_of(part)) experiments.need(set, kBest, period);
  }
}

Result<void> show_degradations_by_period(std::string_view part, const Experiments& experiments,
                                         ReproductionReport& report) {
  std::string growth;
  for (const PaperSet& of : kPaperSets) {
    report.note(std::string(part), experiments.describe(of.sets.front()));
    if (!experiments.has(of.sets.front())) continue;
    for (const double period : periods_of(part)) {
      report.add_mean({std::string(part), number(period), std::string(of.name), {}},
                      experiments.values(of.sets, kBest, period, degradation), experiments.traces_of(of.sets));
    }
    growth += fmt::format("{}{:.2f} on {}", growth.empty() ? "" : ", ",
                          mean_over(experiments, of.sets, kBest, kShort, degradation) /
                              mean_over(experiments, of.sets, kBest, kPeriod, degradation),
                          of.name);
  }
  report.plot(
      {std::string(part), "period (s)", "average degradation from bound", periods_of(part).back() > kShort, false});
  report.note(std::string(part),
              fmt::format("From a period of 600 s to one of 12,000 s the degradation grows by a factor "
                          "of {}. The paper: less than 2 on HPC2N, 1.5 on unscaled, 3 on scaled "
                          "traces.",
                          growth));
  return {};
}

// Bandwidth against the period: figure 9.

void need_bandwidth_by_period(std::string_view part, Experiments& experiments) {
  for (const double period : periods_of(part)) experiments.need(Set::scaled_high, kBest, period);
}

Result<void> show_bandwidth_by_period(std::string_view part, const Experiments& experiments,
                                      ReproductionReport& report) {
  constexpr std::array<Set, 1> sets{Set::scaled_high};
  for (const double period : periods_of(part)) {
    const auto add = [&](const char* column, double (*value)(const ResultRow&)) {
      report.add_mean({std::string(part), number(period), column, {}}, experiments.values(sets, kBest, period, value),
                      experiments.traces_of(sets));
    };
    add("pauses", [](const ResultRow& row) { return row.metrics.pause_gb_per_s; });
    add("moves", [](const ResultRow& row) { return row.metrics.move_gb_per_s; });
    add("both", [](const ResultRow& row) { return row.metrics.pause_gb_per_s + row.metrics.move_gb_per_s; });
  }
  report.plot({std::string(part), "period (s)", "bandwidth (GB/s)"});
  report.note(std::string(part), experiments.describe(Set::scaled_high));
  return {};
}

}  // namespace dfrs::sim::rr7659
