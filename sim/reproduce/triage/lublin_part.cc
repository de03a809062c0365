// SPDX-License-Identifier: GPL-2.0-or-later
// Generated workloads: as they are, and scaled to loads.
#include <fmt/format.h>

#include "sim/metrics/metrics.h"
#include "sim/reproduce/triage/parts.h"

namespace dfrs::sim::triage_study {
namespace {

std::vector<std::string_view> of_the_chart() {
  std::vector<std::string_view> few(kSettings.begin(), kSettings.end());
  few.insert(few.end(), {kYardstick, kBestPublished.front(), "GreedyPM*/OPT=MIN", kBatch});
  return few;
}

std::string number(double value) { return fmt::format("{}", value); }

}  // namespace

void need_lublin(std::string_view, Sets& sets, Study& study) {
  for (const std::string_view algorithm : all_compared()) study.need(sets.lublin(kWorkloads), algorithm);
}

Result<void> show_lublin(std::string_view part, Sets& sets, const Study& study, ReproductionReport& report) {
  const InstanceSet set = sets.lublin(kWorkloads);
  for (const std::string_view algorithm : all_compared()) {
    add_figures(report, part, algorithm, study.rows(set, algorithm));
  }
  report.least_wins(part, "avg.");
  report.note(std::string(part), set.sentence);
  note_figures(report, part);
  return {};
}

void need_scaled(std::string_view, Sets& sets, Study& study) {
  for (const double load : kLoads) {
    for (const std::string_view algorithm : all_compared()) study.need(sets.lublin(kWorkloads, load), algorithm);
  }
}

Result<void> show_scaled(std::string_view part, Sets& sets, const Study& study, ReproductionReport& report) {
  for (const std::string_view algorithm : all_compared()) {
    std::vector<ResultRow> all;
    for (const double load : kLoads) {
      const std::span<const ResultRow> rows = study.rows(sets.lublin(kWorkloads, load), algorithm);
      all.insert(all.end(), rows.begin(), rows.end());
    }
    add_figures(report, part, algorithm, all, sets.lublin(kWorkloads).size);
  }
  report.least_wins(part, "avg.");
  const InstanceSet first = sets.lublin(kWorkloads);
  report.note(std::string(part), fmt::format("{} Each scaled to the nine loads 0.1 to 0.9.", first.sentence));
  note_figures(report, part);
  return {};
}

void need_loads(std::string_view part, Sets& sets, Study& study) {
  const std::vector<std::string_view> costs{kTriage, kYardstick, kSharedBatch};
  for (const double load : kLoads) {
    for (const std::string_view algorithm : part == "lublin-loads" ? of_the_chart() : costs) {
      study.need(sets.lublin(kWorkloads, load), algorithm);
    }
  }
}

Result<void> show_loads(std::string_view part, Sets& sets, const Study& study, ReproductionReport& report) {
  for (const double load : kLoads) {
    for (const std::string_view algorithm : of_the_chart()) {
      add_mean_of(report, part, number(load), algorithm, study.rows(sets.lublin(kWorkloads, load), algorithm),
                  degradation_of);
    }
  }
  report.plot({std::string(part), "load", "average degradation from bound", false, true});
  report.note(std::string(part), sets.lublin(kWorkloads).sentence);
  return {};
}

Result<void> show_load_costs(std::string_view part, Sets& sets, const Study& study, ReproductionReport& report) {
  for (const double load : kLoads) {
    const InstanceSet set = sets.lublin(kWorkloads, load);
    const std::span<const ResultRow> rows = study.rows(set, kTriage);
    const std::vector<double> degradations = values_of(rows, degradation_of);
    const Summary s = summarize(degradations);
    const auto add = [&](const char* column, double value) {
      report.add({std::string(part), number(load), column, {}, value});
    };
    report.add_mean({std::string(part), number(load), "avg.", {}}, degradations);
    add("median", s.median);
    add("p90", s.p90);
    add("max", s.max);
    add_mean_of(report, part, number(load), "yardstick avg.", study.rows(set, kYardstick), degradation_of);
    add_mean_of(report, part, number(load), "U", rows, underutilization_of);
    add_mean_of(report, part, number(load), "U of EASY/shared", study.rows(set, kSharedBatch), underutilization_of);
  }
  report.plot({std::string(part), "load", "degradation from bound; underutilization", false, true});
  report.note(std::string(part), sets.lublin(kWorkloads).sentence);
  return {};
}

}  // namespace dfrs::sim::triage_study
