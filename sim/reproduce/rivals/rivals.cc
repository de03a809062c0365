// SPDX-License-Identifier: GPL-2.0-or-later
// Triage beside every serious rival on the same jobs, and where the gain from EASY to Triage comes from. There is no
// paper: all values are ours.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

#include "sim/metrics/metrics.h"
#include "sim/reproduce/campaign_plan.h"
#include "sim/reproduce/reproduction.h"
#include "sim/reproduce/rivals/rivals_list.h"
#include "sim/reproduce/rivals/rivals_sets.h"
#include "sim/reproduce/rivals/stability.h"

namespace dfrs::sim {
namespace {

using rivals::GainStep;
using rivals::kGainSteps;
using rivals::kRivals;
using rivals::kTriage;
using rivals::Rival;
using rivals::RivalSet;

constexpr std::array<ReproductionPart, 17> kParts{
    {{"weeks", "Every rival on weeks of HPC2N, with users' estimates", "3 min"},
     {"weeks-paired", "The same: each measure minus Triage's, week by week"},
     {"weeks-known", "The same weeks with known run times: the price of not knowing", "1 min"},
     {"gain", "From EASY to Triage one step at a time, on the same weeks", "2 min"},
     {"lublin", "Every rival on Lublin workloads", "1 min"},
     {"lublin-paired", "The same: each measure minus Triage's, workload by workload"},
     {"lublin-scaled", "Every rival on Lublin workloads scaled to a load of 0.7", "1 min"},
     {"lublin-scaled-paired", "The same: each measure minus Triage's, workload by workload"},
     {"hpc2n", "HPC2N whole, without weekly restarts", "5 min"},
     {"hpc2n-known", "The same with known run times", "2 min"},
     {"kth", "KTH-SP2 whole", "2 min"},
     {"kth-known", "The same with known run times", "10 s"},
     {"ctc", "CTC-SP2 whole", "12 min"},
     {"ctc-known", "The same with known run times", "1 min"},
     {"stability", "Whether stretches grow without end: periodic repacking by period, load and penalty", "2 min"},
     {"stability-without", "The same without repacking, by load", "1 min"},
     {"stable", "HPC2N whole: when periodic repacking keeps up", "5 min"}}};
constexpr std::string_view kStability = "stability";
constexpr std::string_view kStabilityWithout = "stability-without";
constexpr std::string_view kStable = "stable";

// Parts whose instances are not one set of rivals.
bool of_repacking(std::string_view part) { return part == kStability || part == kStabilityWithout || part == kStable; }

// "weeks" of "weeks-paired"; nothing for a part that is not paired.
std::optional<std::string_view> paired_with(std::string_view part) {
  constexpr std::string_view kPaired = "-paired";
  if (!part.ends_with(kPaired)) return std::nullopt;
  return part.substr(0, part.size() - kPaired.size());
}

using Value = std::function<double(const ResultRow&)>;

struct Column {
  const char* heading;
  Value value;
};

// Shown of every rival, each as a mean over the instances.
std::vector<Column> columns() {
  return {{"degradation", [](const ResultRow& r) { return r.degradation(); }},
          {"mean stretch", [](const ResultRow& r) { return r.metrics.mean_stretch; }},
          {"p99 stretch", [](const ResultRow& r) { return r.metrics.stretch_p99; }},
          {"max stretch", [](const ResultRow& r) { return r.metrics.max_stretch; }},
          {"short wait, s", [](const ResultRow& r) { return r.metrics.short_wait; }},
          {"its p95, s", [](const ResultRow& r) { return r.metrics.short_wait_p95; }},
          {"U", [](const ResultRow& r) { return r.metrics.underutilization; }},
          {"makespan, h", [](const ResultRow& r) { return r.metrics.makespan / 3600; }},
          {"fairness", [](const ResultRow& r) { return r.metrics.user_fairness; }},
          {"worst user", [](const ResultRow& r) { return r.metrics.worst_user; }},
          {"pauses/job", [](const ResultRow& r) { return r.metrics.pauses_per_job; }},
          {"moves/job", [](const ResultRow& r) { return r.metrics.moves_per_job; }},
          {"work lost", [](const ResultRow& r) { return r.metrics.work_lost; }}};
}

std::vector<double> values_of(std::span<const ResultRow> rows, const Value& value) {
  std::vector<double> values;
  for (const ResultRow& row : rows) values.push_back(value(row));
  return values;
}

// Where pauses are not free, queues of whole logs get so long that a run takes an hour.
bool takes_part(const Rival& rival, const RivalSet& set) {
  if (set.whole_log && rival.pauses != record::PauseEffect::kept) return false;
  return rival.plans || !set.only_plans;
}

// What a rival's degradation is paired with.
struct Reference {
  const char* heading;
  std::span<const ResultRow> rows;
};

// This one's minus the reference's, instance by instance.
std::vector<double> differences(std::span<const ResultRow> rows, std::span<const ResultRow> reference,
                                const Value& value) {
  std::vector<double> values;
  for (std::size_t k = 0; k < rows.size(); ++k) values.push_back(value(rows[k]) - value(reference[k]));
  return values;
}

CampaignOptions options_of(const Rival& rival, const RivalSet& set) {
  CampaignOptions options = set.options;
  options.sim.pauses = PauseWorld::all(rival.pauses);
  return options;
}

void show_one(std::string_view part, std::string_view label, std::span<const ResultRow> rows,
              const Reference& reference, ReproductionReport& report) {
  const auto cell = [&](const char* column) {
    return Comparison{std::string(part), std::string(label), column, {}, 0};
  };
  if (std::any_of(rows.begin(), rows.end(), [](const ResultRow& row) { return row.ran_away(); })) {
    Comparison away = cell("degradation");
    away.words = "ran away";
    report.add(std::move(away));
    return;
  }
  for (const auto& [heading, value] : columns()) {
    const std::vector<double> values = values_of(rows, value);
    report.add_mean(cell(heading), values);
    if (std::string_view(heading) != "degradation" || values.size() < 2) continue;
    const Summary summary = summarize(values);
    for (const auto& [name, number] : {std::pair{"its median", summary.median}, std::pair{"its max", summary.max}}) {
      Comparison one = cell(name);
      one.measured = number;
      report.add(std::move(one));
    }
    report.add_mean(cell(reference.heading), differences(rows, reference.rows, value));
  }
}

void note_columns(std::string_view part, ReproductionReport& report) {
  report.note(
      std::string(part),
      fmt::format(
          "Means over the instances. Degradation: maximum bounded stretch over its bound; minus Triage's, minus "
          "with requests: paired by instance; short wait: of jobs of up to {:g} min; U: normalized underutilization; "
          "fairness: Jain's index of users' mean stretches. Penalty of pauses and moves 300 s. The CSV "
          "has the medians and the 95 % bootstrap intervals of the means.",
          kShortJob / 60));
}

void show_rivals(std::string_view part, const RivalSet& set, const RivalSet& requested, const CampaignPlan& plan,
                 ReproductionReport& report) {
  for (const Rival& rival : kRivals) {
    if (!takes_part(rival, set)) continue;
    const CampaignOptions options = options_of(rival, set);
    const Reference reference =
        set.only_plans ? Reference{"minus with requests", plan.rows(requested.name, rival.algorithm, options)}
                       : Reference{"minus Triage's", plan.rows(set.name, kTriage, set.options)};
    show_one(part, rival.label, plan.rows(set.name, rival.algorithm, options), reference, report);
  }
  // Those with known run times are not all rivals.
  if (!set.only_plans) report.least_wins(part, "degradation");
  report.note(std::string(part), set.sentence);
  note_columns(part, report);
}

// Which of the differences from Triage are more than chance, for every measure.
void show_paired(std::string_view part, const RivalSet& set, const CampaignPlan& plan, ReproductionReport& report) {
  const std::span<const ResultRow> triage = plan.rows(set.name, kTriage, set.options);
  for (const Rival& rival : kRivals) {
    const std::span<const ResultRow> rows = plan.rows(set.name, rival.algorithm, options_of(rival, set));
    for (const auto& [heading, value] : columns()) {
      report.add_mean({std::string(part), std::string(rival.label), heading, {}, 0}, differences(rows, triage, value));
    }
  }
  report.note(std::string(part), set.sentence);
  report.note(std::string(part),
              "Means of this policy's value minus Triage's on the same instance. The CSV has their 95 % bootstrap "
              "intervals: where one does not hold 0, the difference is more than chance.");
}

// A waterfall: where each step leads, and by which factor it divides the mean degradation of the step that it changes.
void show_gain(std::string_view part, const RivalSet& set, const CampaignPlan& plan, ReproductionReport& report) {
  std::vector<double> means;
  Plot waterfall{std::string(part), "step", "degradation from the bound, mean"};
  for (std::size_t k = 0; k < kGainSteps.size(); ++k) {
    const GainStep& step = kGainSteps[k];
    const std::span<const ResultRow> rows = plan.rows(set.name, step.algorithm);
    const std::string label = fmt::format("{}. {}", k, step.adds);
    const auto cell = [&](const char* column, double value = 0) {
      return Comparison{std::string(part), label, column, {}, value};
    };
    const std::vector<double> degradations = values_of(rows, [](const ResultRow& r) { return r.degradation(); });
    const Summary summary = summarize(degradations);
    report.add_mean(cell("degradation"), degradations);
    report.add(cell("its median", summary.median));
    report.add_mean(cell("mean stretch"), values_of(rows, [](const ResultRow& r) { return r.metrics.mean_stretch; }));
    means.push_back(summary.mean);
    waterfall.leads_from.push_back(step.to);
    report.add(cell("divided by", means[step.to] / summary.mean));
    Comparison changes = cell("of step");
    changes.words = fmt::format("{}", step.to);
    report.add(std::move(changes));
    Comparison who = cell("algorithm");
    who.words = step.algorithm;
    report.add(std::move(who));
  }
  report.plot(std::move(waterfall));
  report.note(std::string(part), set.sentence);
  report.note(std::string(part), "Each step changes one thing of the step named, and divides its mean degradation.");
}

void need(std::string_view part, const RivalSet& set, const RivalSet& requested, CampaignPlan& plan) {
  if (set.size == 0) return;
  if (part == "gain") {
    for (const GainStep& step : kGainSteps) plan.need(set, step.algorithm);
    return;
  }
  for (const Rival& rival : kRivals) {
    if (!takes_part(rival, set)) continue;
    plan.need(set, rival.algorithm, options_of(rival, set));
    if (set.only_plans) plan.need(requested, rival.algorithm, options_of(rival, requested));
  }
}

Result<void> run(const ReproduceOptions& options, ReproductionReport& report) {
  CampaignPlan plan(options, "rivals");
  struct Wanted {
    std::string_view part;
    RivalSet set;
    RivalSet requested;  // of sets with known run times
  };
  std::vector<Wanted> wanted;
  for (const ReproductionPart& part : kParts) {
    if (!options.wants(part.name) || of_repacking(part.name)) continue;
    RivalSet set = rivals::set_of(paired_with(part.name).value_or(part.name), options);
    RivalSet requested;
    if (set.only_plans) requested = rivals::set_of(set.requested, options);
    need(part.name, set, requested, plan);
    wanted.push_back({part.name, std::move(set), std::move(requested)});
  }
  if (options.wants(kStability)) rivals::need_stability(options, plan);
  if (options.wants(kStabilityWithout)) rivals::need_stability_without(options, plan);
  RivalSet log;
  if (options.wants(kStable)) {
    log = rivals::set_of("hpc2n", options);
    rivals::need_stable(log, plan);
  }
  if (auto ran = plan.run(); !ran) return ran;
  for (const auto& [part, set, requested] : wanted) {
    if (set.size == 0) {
      report.note(std::string(part), set.sentence);
    } else if (part == "gain") {
      show_gain(part, set, plan, report);
    } else if (paired_with(part)) {
      show_paired(part, set, plan, report);
    } else {
      show_rivals(part, set, requested, plan, report);
    }
  }
  if (options.wants(kStability)) rivals::show_stability(kStability, options, plan, report);
  if (options.wants(kStabilityWithout)) rivals::show_stability_without(kStabilityWithout, options, plan, report);
  if (options.wants(kStable)) rivals::show_stable(kStable, log, plan, report);
  return {};
}

}  // namespace

extern const Reproduction kRivalsStudy{
    "rivals", "Backfilling, predictions, pauses and sharing beside DFRS and Triage (no paper)", kParts, run};

}  // namespace dfrs::sim
