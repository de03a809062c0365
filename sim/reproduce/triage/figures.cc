// SPDX-License-Identifier: GPL-2.0-or-later
// Common to several parts: algorithms, and the columns of a comparison.
#include <algorithm>

#include "sim/metrics/metrics.h"
#include "sim/reproduce/rr7659_published.h"
#include "sim/reproduce/triage/parts.h"

namespace dfrs::sim::triage_study {
namespace {

double mean(std::span<const ResultRow> rows, double (*value)(const ResultRow&)) {
  return summarize(values_of(rows, value)).mean;
}

}  // namespace

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

void add_figures(ReproductionReport& report, std::string_view part, std::string_view row,
                 std::span<const ResultRow> rows) {
  const auto add = [&](const char* column, double value) {
    report.add({std::string(part), std::string(row), column, {}, value});
  };
  const std::vector<double> degradations = values_of(rows, degradation_of);
  const Summary s = summarize(degradations);
  report.add_mean({std::string(part), std::string(row), "avg.", {}}, degradations);
  add("std.", s.stddev);
  add("median", s.median);
  add("p90", s.p90);
  add("max", s.max);
  add("U", mean(rows, underutilization_of));
  add("pauses/job", mean(rows, [](const ResultRow& r) { return r.metrics.pauses_per_job; }));
  add("moves/job", mean(rows, [](const ResultRow& r) { return r.metrics.moves_per_job; }));
  add("GB/s", mean(rows, [](const ResultRow& r) { return r.metrics.pause_gb_per_s + r.metrics.move_gb_per_s; }));
}

void note_figures(ReproductionReport& report, std::string_view part) {
  report.note(std::string(part),
              "avg. to max: degradation from the divisible bound over the instances; U: normalized underutilization; "
              "GB/s: memory of paused and moved tasks. Penalty 300 s.");
}

}  // namespace dfrs::sim::triage_study
