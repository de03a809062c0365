// SPDX-License-Identifier: GPL-2.0-or-later
// Common to several parts: algorithms, and the columns of a comparison.
#include <algorithm>

#include "sim/metrics/metrics.h"
#include "sim/reproduce/rr7659_experiments.h"
#include "sim/reproduce/rr7659_published.h"
#include "sim/reproduce/triage/parts.h"

namespace dfrs::sim::triage_study {

std::vector<std::string_view> all_compared() {
  std::vector<std::string_view> all(kSettings.begin(), kSettings.end());
  all.insert(all.end(), {kYardstick, kSharedBatch, kBatch});
  for (const std::string_view row : rr7659::table2_rows()) {
    if (row != kBatch) all.push_back(row);
  }
  return all;
}

std::vector<double> values_of(std::span<const ResultRow> rows, double (*value)(const ResultRow&)) {
  std::vector<double> values;
  for (const ResultRow& row : rows) values.push_back(value(row));
  return values;
}

double degradation_of(const ResultRow& row) { return row.degradation(); }
double underutilization_of(const ResultRow& row) { return row.metrics.underutilization; }

bool available(std::string_view part, const InstanceSet& set, const Sets& sets, ReproductionReport& report) {
  if (set.empty()) {
    report.note(std::string(part), missing_log(sets.options(), rr7659::kLog));
    return false;
  }
  report.note(std::string(part), set.sentence);
  return true;
}

void add_mean_of(ReproductionReport& report, std::string_view part, std::string_view row, std::string_view column,
                 std::span<const ResultRow> rows, double (*value)(const ResultRow&), std::size_t traces) {
  report.add_mean({std::string(part), std::string(row), std::string(column), {}}, values_of(rows, value), traces);
}

void add_figures(ReproductionReport& report, std::string_view part, std::string_view row,
                 std::span<const ResultRow> rows, std::size_t traces) {
  const auto add = [&](const char* column, double value) {
    report.add({std::string(part), std::string(row), column, {}, value});
  };
  const auto mean = [&](const char* column, double (*value)(const ResultRow&)) {
    add_mean_of(report, part, row, column, rows, value, traces);
  };
  const Summary s = summarize(values_of(rows, degradation_of));
  mean("avg.", degradation_of);
  add("std.", s.stddev);
  add("median", s.median);
  add("p90", s.p90);
  add("max", s.max);
  mean("U", underutilization_of);
  mean("pauses/job", [](const ResultRow& r) { return r.metrics.pauses_per_job; });
  mean("moves/job", [](const ResultRow& r) { return r.metrics.moves_per_job; });
  mean("GB/s", [](const ResultRow& r) { return r.metrics.pause_gb_per_s + r.metrics.move_gb_per_s; });
}

void note_figures(ReproductionReport& report, std::string_view part) {
  report.note(std::string(part),
              "avg. to max: degradation from the divisible bound over the instances; U: normalized underutilization; "
              "GB/s: memory of paused and moved tasks. Penalty 300 s.");
}

}  // namespace dfrs::sim::triage_study
