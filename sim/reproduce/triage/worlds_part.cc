// SPDX-License-Identifier: GPL-2.0-or-later
// What pauses are worth: where they keep a job's work, where they lose it, where there are none, and where only some
// jobs can be paused.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "policy/core/enum_names.h"
#include "sim/metrics/metrics.h"
#include "sim/reproduce/rr7659_experiments.h"
#include "sim/reproduce/triage/parts.h"

namespace dfrs::sim::triage_study {
namespace {

// It sees users' time limits, where the log has them.
constexpr std::string_view kLimits = "Triage/LIMITS";
// The others show what pausing, moving and repacking add to sharing alone.
constexpr std::array<std::string_view, 5> kPausing{kTriage, kYardstick, "GreedyPM*/per/OPT=MIN/MINVT=600",
                                                   "GreedyPM*/OPT=MIN", "Greedy*/OPT=MIN"};
constexpr std::array<std::string_view, 3> kFewPausing{kTriage, kYardstick, "GreedyPM*/OPT=MIN"};
// They pause nothing, so that they do the same in every world.
constexpr std::array<std::string_view, 2> kPausingNothing{kSharedBatch, kBatch};
constexpr std::array<std::string_view, 3> kOnCurves{kTriage, kYardstick, "GreedyPM*/OPT=MIN"};
constexpr std::array<double, 9> kParts{0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1};

PauseWorld mixed(double part, PauseEffect others) {
  if (part >= 1) return PauseWorld::all(PauseEffect::kept);
  if (part <= 0) return PauseWorld::all(others);
  return {part, others, 1, false};
}

std::array<PauseWorld, 4> worlds() {
  return {PauseWorld::all(PauseEffect::kept), mixed(0.5, PauseEffect::none), PauseWorld::all(PauseEffect::none),
          PauseWorld::all(PauseEffect::lost)};
}

std::string name_of(const PauseWorld& world) {
  const bool half = world.kept > 0 && world.kept < 1;
  return half ? fmt::format("mixed:{}", world.kept) : world_text(world);
}

// A job of a second there wants 60 nodes almost whole. Where some jobs are never paused, it makes most of an average.
constexpr std::size_t kHeaviestWeek = 11;

// A set of instances in all worlds.
struct InWorlds {
  std::string name;  ///< before the names of its rows
  InstanceSet set;
  std::span<const std::string_view> pausing = kPausing;
  std::string_view log = {};     ///< that it needs; empty: none
  InstanceSet with_limits = {};  ///< the same with users' time limits; empty: there are none
  bool split = false;            ///< rules were chosen on some of the weeks
  Setting setting = {};
};

std::vector<InWorlds> sets_of(std::string_view part, Sets& sets) {
  if (part == "worlds-weeks") return {{"", sets.weeks(), kPausing, rr7659::kLog, sets.weeks_with_limits(), true}};
  if (part == "worlds-lublin") return {{"", sets.lublin(kWorkloads)}};
  if (part == "worlds-robust") {
    Setting packed;
    packed.pack_tasks = true;
    std::vector<InWorlds> all{
        {"64 cores: ", sets.wide_weeks(kEveryWeek), kFewPausing, rr7659::kLog, {}, false, packed}};
    const InstanceSet usual = sets.lublin(kFewWorkloads);
    for (const double memory : {0.1, 0.5}) {
      all.push_back({fmt::format("flood, {:.0f} % memory: ", 100 * memory),
                     changed(usual, fmt::format("flood {}", memory), [=](Instance& i) { flood(i, memory); }),
                     kFewPausing});
    }
    return all;
  }
  const PlainLog& log = log_of(part == "worlds-ctc" ? "logs-ctc" : "logs-kth");
  return {{"", sets.weeks_of(log), kFewPausing, log.name}};
}

// Limits matter only where some job is never paused.
bool sees_limits(const InWorlds& one, const PauseWorld& world) {
  return !one.with_limits.empty() && world.others == PauseEffect::none && world.kept < 1;
}

Setting in_world(Setting setting, const PauseWorld& world) {
  setting.pauses = world;
  return setting;
}

std::vector<double> differences(const std::vector<double>& of, const std::vector<double>& from) {
  std::vector<double> all;
  for (std::size_t k = 0; k < of.size(); ++k) all.push_back(of[k] - from[k]);
  return all;
}

double percent_lost(const ResultRow& row) { return 100 * row.metrics.work_lost; }

// `triage`: the degradations of Triage in that world; empty: no comparison.
void add_world(ReproductionReport& report, std::string_view part, const std::string& row, const InWorlds& one,
               std::span<const ResultRow> rows, const std::vector<double>& triage) {
  const auto add = [&](const char* column, double value) { report.add({std::string(part), row, column, {}, value}); };
  const auto mean = [&](const char* column, double (*value)(const ResultRow&)) {
    add_mean_of(report, part, row, column, rows, value);
  };
  const std::vector<double> degradations = values_of(rows, degradation_of);
  const Summary s = summarize(degradations);
  report.add_mean({std::string(part), row, "avg.", {}}, degradations);
  add("median", s.median);
  add("p90", s.p90);
  add("max", s.max);
  if (one.split) {
    std::vector<double> others;
    std::vector<double> but_one;
    for (std::size_t k = 0; k < degradations.size(); ++k) {
      if (!is_training_week(one.set.weeks[k])) others.push_back(degradations[k]);
      if (one.set.weeks[k] != kHeaviestWeek) but_one.push_back(degradations[k]);
    }
    if (!but_one.empty()) report.add_mean({std::string(part), row, "avg. without week 11", {}}, but_one);
    if (!others.empty()) {
      report.add_mean({std::string(part), row, "others avg.", {}}, others);
      add("others median", summarize(others).median);
    }
  }
  if (!triage.empty()) {
    report.add_mean({std::string(part), row, "minus Triage", {}}, differences(degradations, triage));
  }
  mean("mean stretch", [](const ResultRow& r) { return r.metrics.mean_stretch; });
  mean("U", underutilization_of);
  mean("pauses/job", [](const ResultRow& r) { return r.metrics.pauses_per_job; });
  mean("moves/job", [](const ResultRow& r) { return r.metrics.moves_per_job; });
  mean("% work lost", percent_lost);
}

void add_to_curve(ReproductionReport& report, std::string_view part, double kept, const std::string& column,
                  std::span<const ResultRow> rows) {
  const std::string row = fmt::format("{}", kept);
  if (part == "mixed-median") {
    report.add({std::string(part), row, column, {}, summarize(values_of(rows, degradation_of)).median});
  } else {
    add_mean_of(report, part, row, column, rows, part == "mixed-lost" ? percent_lost : degradation_of);
  }
}

std::vector<PauseEffect> others_of(std::string_view part) {
  if (part == "mixed-lost") return {PauseEffect::lost};
  return {PauseEffect::none, PauseEffect::lost};
}

}  // namespace

void need_worlds(std::string_view part, Sets& sets, Study& study) {
  for (const InWorlds& one : sets_of(part, sets)) {
    if (one.set.empty()) continue;
    for (const PauseWorld& world : worlds()) {
      for (const std::string_view algorithm : one.pausing) {
        study.need(one.set, algorithm, in_world(one.setting, world));
      }
      if (sees_limits(one, world)) study.need(one.with_limits, kLimits, in_world(one.setting, world));
    }
    for (const std::string_view algorithm : kPausingNothing) study.need(one.set, algorithm, one.setting);
  }
}

Result<void> show_worlds(std::string_view part, Sets& sets, const Study& study, ReproductionReport& report) {
  for (const InWorlds& one : sets_of(part, sets)) {
    if (one.set.empty()) {
      report.note(std::string(part), missing_log(sets.options(), one.log));
      continue;
    }
    const auto add = [&](std::string_view algorithm, std::string_view world, std::span<const ResultRow> rows,
                         const std::vector<double>& triage) {
      add_world(report, part, fmt::format("{}{}, {}", one.name, algorithm, world), one, rows, triage);
    };
    for (const PauseWorld& world : worlds()) {
      const std::vector<double> triage =
          values_of(study.rows(one.set, kTriage, in_world(one.setting, world)), degradation_of);
      for (const std::string_view algorithm : one.pausing) {
        add(algorithm, name_of(world), study.rows(one.set, algorithm, in_world(one.setting, world)),
            algorithm == kTriage ? std::vector<double>() : triage);
        if (algorithm == kTriage && sees_limits(one, world)) {
          add(kLimits, name_of(world), study.rows(one.with_limits, kLimits, in_world(one.setting, world)), triage);
        }
      }
    }
    for (const std::string_view algorithm : kPausingNothing) {
      add(algorithm, "any", study.rows(one.set, algorithm, one.setting), {});
    }
    report.note(std::string(part), one.name + one.set.sentence);
    if (one.split)
      report.note(std::string(part),
                  "others: the weeks on which no rule was chosen. minus Triage: paired by instance.");
  }
  report.note(
      std::string(part),
      "kept: a pause keeps the work and costs 300 s. mixed:0.5: half of the jobs, drawn by seed 1, can be paused "
      "so; the others are never paused or moved. none: no job is. lost: a pause or a move ends the run, and the "
      "job begins again; a run of less than 60 s is not ended, and a job loses at most 3 runs. clairvoyant/Triage "
      "knows run times, which no live system does.");
  return {};
}

void need_mixed(std::string_view part, Sets& sets, Study& study) {
  const InstanceSet set = sets.weeks();
  if (set.empty()) return;
  for (const PauseEffect others : others_of(part)) {
    for (const double x : kParts) {
      for (const std::string_view algorithm : kOnCurves) study.need(set, algorithm, in_world({}, mixed(x, others)));
    }
  }
}

Result<void> show_mixed(std::string_view part, Sets& sets, const Study& study, ReproductionReport& report) {
  const InstanceSet set = sets.weeks();
  if (!available(part, set, sets, report)) return {};
  for (const double x : kParts) {
    for (const std::string_view algorithm : kOnCurves) {
      for (const PauseEffect others : others_of(part)) {
        const std::string column = fmt::format("{}, rest {}", algorithm, enum_name(others));
        add_to_curve(report, part, x, column, study.rows(set, algorithm, in_world({}, mixed(x, others))));
      }
    }
  }
  const bool lost = part == "mixed-lost";
  report.plot({.part = std::string(part),
               .x_label = "part of the jobs that can be paused without loss",
               .y_label = lost                     ? "% of all work lost"
                          : part == "mixed-median" ? "median degradation from bound"
                                                   : "average degradation from bound",
               .log_y = !lost});
  report.note(std::string(part),
              "Seed 1 draws the jobs; a larger part has all jobs of a smaller one. The rest is never paused (none), or "
              "begins again after a pause (lost).");
  return {};
}

}  // namespace dfrs::sim::triage_study
