// SPDX-License-Identifier: GPL-2.0-or-later
// EASY and its improvements on whole logs, beside what Gaussier, Glesser, Reis and Trystram published for SC'15 with
// their simulator. Jobs end at their requested times; the bounded slowdown is our bounded stretch with b = 10 s.
#include <fmt/format.h>

#include <array>
#include <optional>

#include "sim/reproduce/campaign_plan.h"
#include "sim/reproduce/prediction_errors.h"
#include "sim/reproduce/reproduction.h"
#include "sim/workload/load.h"

namespace dfrs::sim {
namespace {

constexpr std::array<ReproductionPart, 6> kParts{
    {{"kth", "KTH-SP2, the whole log", "20 s"},
     {"ctc", "CTC-SP2, the whole log", "2 min"},
     {"predictors-kth", "KTH-SP2: EASY++ with predictors of which the authors published no such figures", "20 s"},
     {"predictors-ctc", "CTC-SP2: the same", "2 min"},
     {"errors-kth", "KTH-SP2: how far predictions of run times are off", "10 s"},
     {"errors-ctc", "CTC-SP2: the same", "30 s"}}};

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
constexpr std::array<Row, 6> kRows{{{"EASY, requested times",
                                     "EASY",
                                     SwfEstimates::kTrace,
                                     {15696.8, 309231, 92.58, 14805.2},
                                     {25526.8, 337283, 49.57, 12715.4}},
                                    {"EASY++, requested times",
                                     "EASY/backfill=SJF",
                                     SwfEstimates::kTrace,
                                     {14764.0, 372238, 69.41, 14805.2},
                                     {23023.2, 394322, 30.04, 9875.6}},
                                    {"EASY++, Tsafrir's predictor",
                                     "EASY/backfill=SJF/predict=tsafrir",
                                     SwfEstimates::kTrace,
                                     {14513.7, 538605, 62.86, 31392.6},
                                     {22453.9, 1544953, 26.53, 11938.5}},
                                    {"EASY, Tsafrir's predictor",
                                     "EASY/predict=tsafrir",
                                     SwfEstimates::kTrace,
                                     {14647.1, 363581, 65.72, 30299.8},
                                     {22875.5, 1977894, 35.32, 11097.7}},
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

// EASY++ with predictors that the authors did not try, or of which they published no metrics of whole logs.
constexpr std::array<std::string_view, 4> kOurs{
    "EASY/backfill=SJF/predict=double", "EASY/backfill=SJF/predict=mean/correct=steps",
    "EASY/backfill=SJF/predict=q90/correct=steps", "EASY/backfill=SJF/predict=sc15/correct=steps"};

void show_errors(const Log& log, const std::string& path, ReproductionReport& report) {
  const std::string part = "errors-" + std::string(log.part);
  std::vector<PredictionRule> rules;
  for (const char* name : {"request", "double", "tsafrir", "mean", "q50", "q90", "sc15"}) {
    set_predictor(rules.emplace_back(), name);
  }
  const Instance instance = whole_log(path, log.nodes, SwfEstimates::kTrace).front();
  const std::vector<PredictionError> errors = prediction_errors(instance, rules);
  for (std::size_t k = 0; k < rules.size(); ++k) {
    const auto add = [&](const char* column, double value) {
      report.add({part, predictor_name(rules[k]), column, {}, value});
    };
    add("mean error, s", errors[k].mean);
    add("median of predicted / run time", errors[k].median_factor);
    add("within a factor of 2, %", 100 * errors[k].within_twice);
    add("too short, %", 100 * errors[k].too_short);
  }
  report.note(part, "Predictions at submission, of jobs that run under EASY/backfill=SJF.");
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

void show_predictors(const Log& log, const CampaignPlan& plan, ReproductionReport& report) {
  const std::string part = "predictors-" + std::string(log.part);
  for (const std::string_view algorithm : kOurs) {
    const Metrics& ours = plan.rows(set_name(log, kRows[0]), algorithm).front().metrics;
    const auto add = [&](const char* column, double measured) {
      report.add({part, std::string(algorithm), column, {}, measured});
    };
    add("mean flow time, s", ours.mean_turnaround);
    add("mean bounded slowdown", ours.mean_stretch);
    add("max bounded slowdown", ours.max_stretch);
  }
}

// The parts of a log.
struct Wanted {
  const Log* log;
  std::string path;
  bool schedules, predictors, errors;
};

void need(const Wanted& wanted, CampaignPlan& plan) {
  const Log& log = *wanted.log;
  const auto need_one = [&](const Row& row, std::string_view algorithm) {
    plan.need({set_name(log, row), 1,
               [path = wanted.path, nodes = log.nodes, estimates = row.estimates] {
                 return whole_log(path, nodes, estimates);
               }},
              algorithm);
  };
  if (wanted.schedules) {
    for (const Row& row : kRows) need_one(row, row.algorithm);
  }
  if (wanted.predictors) {
    for (const std::string_view algorithm : kOurs) need_one(kRows[0], algorithm);
  }
}

void run(const ReproduceOptions& options, ReproductionReport& report) {
  CampaignPlan plan(options, "sc15");
  std::vector<Wanted> found;
  for (const Log& log : kLogs) {
    const std::string part(log.part);
    Wanted wanted{&log, {}, options.wants(part), options.wants("predictors-" + part), options.wants("errors-" + part)};
    if (!wanted.schedules && !wanted.predictors && !wanted.errors) continue;
    wanted.path = find_log(options, log.name);
    if (wanted.path.empty()) {
      report.note(wanted.schedules    ? part
                  : wanted.predictors ? "predictors-" + part
                                      : "errors-" + part,
                  missing_log(options, log.name));
      continue;
    }
    need(wanted, plan);
    found.push_back(std::move(wanted));
  }
  plan.run();
  for (const Wanted& wanted : found) {
    if (wanted.schedules) show(*wanted.log, plan, report);
  }
  for (const Wanted& wanted : found) {
    if (wanted.predictors) show_predictors(*wanted.log, plan, report);
  }
  for (const Wanted& wanted : found) {
    if (wanted.errors) show_errors(*wanted.log, wanted.path, report);
  }
}

}  // namespace

extern const Reproduction kSc15{"sc15",
                                "Gaussier, Glesser, Reis, Trystram: Improving Backfilling by using Machine Learning to "
                                "Predict Running Times, SC 2015",
                                kParts, run};

}  // namespace dfrs::sim
