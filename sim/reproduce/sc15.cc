// SPDX-License-Identifier: GPL-2.0-or-later
// EASY and its improvements on whole logs, beside what Gaussier, Glesser, Reis and Trystram published for SC'15 with
// their simulator. Jobs end at their requested times; the bounded slowdown is our bounded stretch with b = 10 s.
#include <fmt/format.h>

#include <array>
#include <optional>

#include "sim/reproduce/campaign_plan.h"
#include "sim/reproduce/reproduction.h"
#include "sim/workload/load.h"

namespace dfrs::sim {
namespace {

constexpr std::array<ReproductionPart, 2> kParts{
    {{"kth", "KTH-SP2, the whole log", "10 s"}, {"ctc", "CTC-SP2, the whole log", "1 min"}}};

struct Published {
  double mean_flow, max_flow, mean_slowdown, max_slowdown;
};

struct Row {
  std::string_view label;
  std::string_view algorithm;
  SwfEstimates estimates;
  Published kth, ctc;
};

// Metrics that the authors published with their simulator.
constexpr std::array<Row, 4> kRows{{{"EASY, requested times",
                                     "EASY",
                                     SwfEstimates::kTrace,
                                     {15696.8, 309231, 92.58, 14805.2},
                                     {25526.8, 337283, 49.57, 12715.4}},
                                    {"EASY++, requested times",
                                     "EASY/backfill=SJF",
                                     SwfEstimates::kTrace,
                                     {14764.0, 372238, 69.41, 14805.2},
                                     {23023.2, 394322, 30.04, 9875.6}},
                                    {"EASY, run times known",
                                     "EASY",
                                     SwfEstimates::kExact,
                                     {15187.6, 356843, 71.72, 10017.2},
                                     {24835.9, 278636, 37.17, 3955.8}},
                                    {"EASY++, run times known",
                                     "EASY/backfill=SJF",
                                     SwfEstimates::kExact,
                                     {14295.9, 335193, 49.85, 9941.7},
                                     {21259.2, 334105, 17.57, 2022.6}}}};

struct Log {
  std::string_view part;
  std::string_view name;
  int nodes;  // of the machine; the headers of the logs do not always say
  Published Row::* published;
};
constexpr std::array<Log, 2> kLogs{
    {{"kth", "KTH-SP2-1996-2.1-cln", 100, &Row::kth}, {"ctc", "CTC-SP2-1996-3.1-cln", 338, &Row::ctc}}};

std::string set_name(const Log& log, const Row& row) {
  return fmt::format("{}, {}", log.part, row.estimates == SwfEstimates::kTrace ? "requested" : "known");
}

std::vector<Instance> whole_log(const std::string& path, int nodes, SwfEstimates estimates) {
  LoadOptions load;
  load.weeks = false;
  load.processors.nodes = nodes;
  load.conventions.estimates = estimates;
  load.conventions.kill_at_requested_time = true;
  return load_instances(path, load).instances;
}

void show(const Log& log, const CampaignPlan& plan, ReproductionReport& report) {
  for (const Row& row : kRows) {
    const ResultRow& ours = plan.rows(set_name(log, row), row.algorithm).front();
    const Published& theirs = row.*log.published;
    const auto add = [&](const char* column, double published, double measured) {
      report.add({std::string(log.part), std::string(row.label), column, published, measured});
    };
    add("mean flow time, s", theirs.mean_flow, ours.metrics.mean_turnaround);
    add("mean bounded slowdown", theirs.mean_slowdown, ours.metrics.mean_stretch);
    add("max bounded slowdown", theirs.max_slowdown, ours.metrics.max_stretch);
  }
  report.note(
      std::string(log.part),
      "The authors simulated the logs before the archive cleaned them; ours is the cleaned one. A maximum is the "
      "slowdown of one job.");
}

void run(const ReproduceOptions& options, ReproductionReport& report) {
  CampaignPlan plan(options, "sc15");
  std::vector<const Log*> found;
  for (const Log& log : kLogs) {
    if (!options.wants(log.part)) continue;
    const std::string path = find_log(options, log.name);
    if (path.empty()) {
      report.note(std::string(log.part), missing_log(options, log.name));
      continue;
    }
    found.push_back(&log);
    for (const Row& row : kRows) {
      plan.need({set_name(log, row), 1,
                 [path, nodes = log.nodes, estimates = row.estimates] { return whole_log(path, nodes, estimates); }},
                row.algorithm);
    }
  }
  plan.run();
  for (const Log* const log : found) show(*log, plan, report);
}

}  // namespace

extern const Reproduction kSc15{"sc15",
                                "Gaussier, Glesser, Reis, Trystram: Improving Backfilling by using Machine Learning to "
                                "Predict Running Times, SC 2015",
                                kParts, run};

}  // namespace dfrs::sim
