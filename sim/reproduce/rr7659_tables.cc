// SPDX-License-Identifier: GPL-2.0-or-later
// Tables 2 to 10.
#include <fmt/format.h>

#include <array>
#include <vector>

#include "sim/metrics/metrics.h"
#include "sim/reproduce/rr7659_parts.h"
#include "sim/reproduce/rr7659_published.h"

namespace dfrs::sim::rr7659 {
namespace {

// The sets that a table of degradations shows.
std::span<const PaperSet> sets_of(std::string_view table) {
  const std::span<const PaperSet> all(kPaperSets);
  if (table == "table5") return all.subspan(0, 1);
  if (table == "table6") return all.subspan(1, 1);
  if (table == "table7") return all.subspan(2, 1);
  return all;
}

// The paper's rows, with EASY's variant after EASY.
std::vector<std::string_view> rows_of(std::string_view table) {
  std::vector<std::string_view> rows;
  const auto add = [&](std::string_view algorithm) {
    rows.push_back(algorithm);
    if (algorithm == "EASY") rows.push_back(kExtraOnly);
  };
  if (table == "table2") {
    for (const std::string_view algorithm : table2_rows()) add(algorithm);
  } else {
    for (const PublishedDegradation& row : published_degradations()) add(row.algorithm);
  }
  return rows;
}

// The paper's name of this algorithm.
std::string_view in_paper(std::string_view algorithm) { return algorithm == kExtraOnly ? "EASY" : algorithm; }

// Comparison::variant_of.
std::string variant_of(std::string_view algorithm) { return algorithm == kExtraOnly ? "EASY" : ""; }

void note_sets(std::string_view part, const Experiments& experiments, std::span<const PaperSet> columns,
               ReproductionReport& report) {
  for (const PaperSet& column : columns) report.note(std::string(part), experiments.describe(column.sets.front()));
}

struct Cost {
  const char* of;
  const char* unit;
  double (*value)(const ResultRow&);
  bool counts_pauses = false;
};

// In the order of PublishedCosts, where each has avg. and max.
constexpr std::array<Cost, 6> kCosts{{
    {"pmtn", "GB/s", [](const ResultRow& row) { return row.metrics.pause_gb_per_s; }},
    {"mig", "GB/s", [](const ResultRow& row) { return row.metrics.move_gb_per_s; }},
    {"pmtn", "/hour", [](const ResultRow& row) { return row.metrics.pauses_per_hour; }, true},
    {"mig", "/hour", [](const ResultRow& row) { return row.metrics.moves_per_hour; }},
    {"pmtn", "/job", [](const ResultRow& row) { return row.metrics.pauses_per_job; }, true},
    {"mig", "/job", [](const ResultRow& row) { return row.metrics.moves_per_job; }},
}};

constexpr std::array<Set, 1> kHigh{Set::scaled_high};

std::vector<std::string_view> cost_rows(std::string_view table) {
  std::vector<std::string_view> rows;
  if (table == "table3") {
    rows = {"EASY", "FCFS"};
    rows.insert(rows.end(), table3_rows().begin(), table3_rows().end());
  } else {
    for (const PublishedCosts& row : published_costs()) rows.push_back(row.algorithm);
  }
  return rows;
}

}  // namespace

void need_degradations(std::string_view part, Experiments& experiments) {
  for (const PaperSet& column : sets_of(part)) {
    for (const Set set : column.sets) {
      for (const std::string_view algorithm : rows_of(part)) experiments.need(set, algorithm);
    }
  }
}

Result<void> show_degradations(std::string_view part, const Experiments& experiments, ReproductionReport& report) {
  const std::span<const PaperSet> columns = sets_of(part);
  for (const std::string_view algorithm : rows_of(part)) {
    for (const PaperSet& column : columns) {
      if (!experiments.has(column.sets.front())) continue;
      const std::vector<double> values =
          experiments.values(column.sets, algorithm, kPeriod, [](const ResultRow& row) { return row.degradation(); });
      const std::size_t first = 3 * static_cast<std::size_t>(&column - kPaperSets.data());
      const auto cell = [&](const char* figure, std::size_t k) {
        return Comparison{std::string(part),
                          std::string(algorithm),
                          columns.size() == 1 ? figure : fmt::format("{} {}", column.name, figure),
                          published_degradation(in_paper(algorithm), first + k),
                          0,
                          {},
                          variant_of(algorithm)};
      };
      const std::size_t traces = experiments.traces_of(column.sets);
      std::optional<AnotherDraw> another;
      if (column.sets.front() != Set::hpc2n) another = another_draw(values, traces);
      report.add_mean(cell("avg.", 0), values, traces, another);
      report.add_deviation(cell("std.", 1), values, another);
      report.add_maximum(cell("max", 2), values, another);
    }
  }
  note_sets(part, experiments, columns, report);
  report.note(std::string(part),
              "EASY/extra-only, which backfills only into extra nodes, is also compared with the paper's EASY.");
  return {};
}

void need_underutilization(std::string_view, Experiments& experiments) {
  for (const Set set : kSets) {
    experiments.need(set, kExtraOnly);
    for (const PublishedUnderutilization& row : published_underutilizations()) experiments.need(set, row.algorithm);
  }
}

Result<void> show_underutilization(std::string_view part, const Experiments& experiments, ReproductionReport& report) {
  const auto add = [&](std::string_view algorithm, const PublishedUnderutilization& published) {
    for (std::size_t k = 0; k < kPaperSets.size(); ++k) {
      const PaperSet& column = kPaperSets[k];
      if (!experiments.has(column.sets.front())) continue;
      report.add_mean({std::string(part),
                       std::string(algorithm),
                       std::string(column.name),
                       published.figures[k],
                       0,
                       {},
                       variant_of(algorithm)},
                      experiments.values(column.sets, algorithm, kPeriod,
                                         [](const ResultRow& row) { return row.metrics.underutilization; }),
                      experiments.traces_of(column.sets));
    }
  };
  for (const PublishedUnderutilization& row : published_underutilizations()) {
    add(row.algorithm, row);
    if (row.algorithm == "EASY") add(kExtraOnly, row);
  }
  note_sets(part, experiments, kPaperSets, report);
  return {};
}

void need_costs(std::string_view part, Experiments& experiments) {
  for (const std::string_view algorithm : cost_rows(part)) {
    experiments.need(Set::scaled_high, algorithm);
  }
}

Result<void> show_costs(std::string_view part, const Experiments& experiments, ReproductionReport& report) {
  // Table 3 has all three pairs, table 8 the first, table 9 the second, table 10 the third.
  const std::size_t begin = part == "table9" ? 2 : part == "table10" ? 4 : 0;
  const std::size_t end = part == "table3" ? kCosts.size() : begin + 2;
  for (const std::string_view algorithm : cost_rows(part)) {
    for (std::size_t k = begin; k < end; ++k) {
      const Cost& cost = kCosts[k];
      std::vector<double> values = experiments.values(kHigh, algorithm, kPeriod, cost.value);
      if (cost.counts_pauses && experiments.assumed().resumes_count) {
        for (double& value : values) value *= 2;
      }
      const std::string name = fmt::format("{} {}", cost.of, cost.unit);
      const std::size_t traces = experiments.traces_of(kHigh);
      const std::optional<AnotherDraw> another = another_draw(values, traces);
      report.add_mean({std::string(part), std::string(algorithm), name + " avg.", published_cost(algorithm, 2 * k)},
                      values, traces, another);
      report.add_maximum(
          {std::string(part), std::string(algorithm), name + " max", published_cost(algorithm, 2 * k + 1)}, values,
          another);
    }
  }
  report.note(std::string(part), experiments.describe(Set::scaled_high));
  report.note(std::string(part),
              "pmtn: jobs paused; mig: jobs moved; each job once per decision, GB are of 1,024 MiB.");
  return {};
}

}  // namespace dfrs::sim::rr7659
