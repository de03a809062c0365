// SPDX-License-Identifier: GPL-2.0-or-later
// What could explain tables 3 and 4.
#include <fmt/format.h>

#include <cmath>

#include "sim/metrics/metrics.h"
#include "sim/reproduce/assumptions.h"
#include "sim/reproduce/rr7659_parts.h"
#include "sim/reproduce/rr7659_published.h"

namespace dfrs::sim::rr7659 {

void need_nothing(std::string_view, Experiments&) {}

Result<void> show_cost_assumptions(std::string_view part, const Experiments& experiments, ReproductionReport& report) {
  CostStudy study;
  study.part = "table3-assumptions";
  if (part != study.part && experiments.options().wants(study.part)) return {};  // shown with it
  study.instances = experiments.traces();
  for (const std::string_view algorithm : table3_rows()) {
    CostTarget target{algorithm, {}};
    for (std::size_t k = 0; k < target.published.size(); ++k) {
      target.published[k] = published_cost(algorithm, 2 * k).value_or(std::nan(""));
    }
    study.targets.push_back(target);
  }
  return test_cost_assumptions(study, experiments.options(), report);
}

Result<void> show_underutilization_assumptions(std::string_view part, const Experiments& experiments,
                                               ReproductionReport& report) {
  const auto unused = [](const ResultRow& row) { return row.metrics.underutilization; };
  // Of one set, all runs have as many nodes, so this is the work but for a factor.
  const auto work = [](const ResultRow& row) { return row.metrics.utilization * row.metrics.makespan; };
  const auto add = [&](std::string_view algorithm, const PublishedUnderutilization& published) {
    for (std::size_t k = 0; k < kPaperSets.size(); ++k) {
      const PaperSet& column = kPaperSets[k];
      if (!experiments.has(column.sets.front())) continue;
      const std::vector<double> values = experiments.values(column.sets, algorithm, kPeriod, unused);
      const std::vector<double> works = experiments.values(column.sets, algorithm, kPeriod, work);
      double lost = 0;
      double done = 0;
      for (std::size_t n = 0; n < values.size(); ++n) lost += values[n] * works[n], done += works[n];
      const auto cell = [&](const char* assumption, double value) {
        report.add({std::string(part),
                    fmt::format("{}: {}", assumption, algorithm),
                    std::string(column.name),
                    published.figures[k],
                    value,
                    {},
                    std::string(published.algorithm)});
      };
      const Summary s = summarize(values);
      cell("average", s.mean);
      cell("median", s.median);
      cell("pooled", done > 0 ? lost / done : 0);
    }
  };
  for (const PublishedUnderutilization& row : published_underutilizations()) {
    add(row.algorithm, row);
    if (row.algorithm == "EASY") add(kExtraOnly, row);
  }
  report.note(std::string(part), "pooled: underutilization of all runs over their work.");
  return {};
}

}  // namespace dfrs::sim::rr7659
