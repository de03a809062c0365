// SPDX-License-Identifier: GPL-2.0-or-later
// What pauses are worth: where they keep a job's work, where they lose it, where there are none, and where only some
// jobs can be paused.
#include <fmt/format.h>

#include <array>

#include "policy/core/enum_names.h"
#include "sim/metrics/metrics.h"
#include "sim/reproduce/rr7659_experiments.h"
#include "sim/reproduce/triage/parts.h"

namespace dfrs::sim::triage_study {
namespace {

// What is left to gain: it knows run times.
constexpr std::string_view kYardstick = "clairvoyant/Triage";
// The others show what pausing, moving and repacking add to sharing alone.
constexpr std::array<std::string_view, 5> kPausing{kTriage, kYardstick, "GreedyPM*/per/OPT=MIN/MINVT=600",
                                                   "GreedyPM*/OPT=MIN", "Greedy*/OPT=MIN"};
// They pause nothing, so that they do the same in every world.
constexpr std::array<std::string_view, 2> kPausingNothing{"EASY/shared", kBatch};
constexpr std::array<std::string_view, 3> kOnCurves{kTriage, kYardstick, "GreedyPM*/OPT=MIN"};
constexpr std::array<double, 9> kParts{0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1};

Setting in_world(const PauseWorld& world) {
  Setting setting;
  setting.pauses = world;
  return setting;
}

PauseWorld mixed(double part, Pauses others) {
  if (part >= 1) return PauseWorld::all(Pauses::kept);
  if (part <= 0) return PauseWorld::all(others);
  return {part, others, 1, false};
}

std::array<PauseWorld, 4> worlds() {
  return {PauseWorld::all(Pauses::kept), mixed(0.5, Pauses::none), PauseWorld::all(Pauses::none),
          PauseWorld::all(Pauses::lost)};
}

std::string name_of(const PauseWorld& world) {
  const bool half = world.kept > 0 && world.kept < 1;
  return half ? fmt::format("mixed:{}", world.kept) : world_text(world);
}

InstanceSet set_of(std::string_view part, Sets& sets) {
  return part == "worlds-lublin" ? sets.lublin(kWorkloads) : sets.weeks();
}

void add_world(ReproductionReport& report, std::string_view part, const std::string& row,
               std::span<const ResultRow> rows) {
  const auto add = [&](const char* column, double value) { report.add({std::string(part), row, column, {}, value}); };
  const auto mean = [&](double (*value)(const ResultRow&)) { return summarize(values_of(rows, value)).mean; };
  const Summary s = summarize(values_of(rows, degradation_of));
  add("avg.", s.mean);
  add("median", s.median);
  add("p90", s.p90);
  add("max", s.max);
  add("mean stretch", mean([](const ResultRow& r) { return r.metrics.mean_stretch; }));
  add("U", mean(underutilization_of));
  add("pauses/job", mean([](const ResultRow& r) { return r.metrics.pauses_per_job; }));
  add("moves/job", mean([](const ResultRow& r) { return r.metrics.moves_per_job; }));
  add("% work lost", 100 * mean([](const ResultRow& r) { return r.metrics.work_lost; }));
}

double curve_value(std::string_view part, std::span<const ResultRow> rows) {
  if (part == "mixed-lost") {
    return 100 * summarize(values_of(rows, [](const ResultRow& r) { return r.metrics.work_lost; })).mean;
  }
  const Summary s = summarize(values_of(rows, degradation_of));
  return part == "mixed-median" ? s.median : s.mean;
}

std::vector<Pauses> others_of(std::string_view part) {
  if (part == "mixed-lost") return {Pauses::lost};
  return {Pauses::none, Pauses::lost};
}

}  // namespace

void need_worlds(std::string_view part, Sets& sets, Study& study) {
  const InstanceSet set = set_of(part, sets);
  if (set.empty()) return;
  for (const PauseWorld& world : worlds()) {
    for (const std::string_view algorithm : kPausing) study.need(set, algorithm, in_world(world));
  }
  for (const std::string_view algorithm : kPausingNothing) study.need(set, algorithm);
}

void show_worlds(std::string_view part, Sets& sets, const Study& study, ReproductionReport& report) {
  const InstanceSet set = set_of(part, sets);
  if (set.empty()) {
    report.note(std::string(part), missing_log(sets.options(), rr7659::kLog));
    return;
  }
  for (const PauseWorld& world : worlds()) {
    for (const std::string_view algorithm : kPausing) {
      add_world(report, part, fmt::format("{}, {}", algorithm, name_of(world)),
                study.rows(set, algorithm, in_world(world)));
    }
  }
  for (const std::string_view algorithm : kPausingNothing) {
    add_world(report, part, fmt::format("{}, any", algorithm), study.rows(set, algorithm));
  }
  report.note(std::string(part), set.sentence);
  report.note(
      std::string(part),
      "kept: a pause keeps the work and costs 300 s. mixed:0.5: half of the jobs, drawn by seed 1, can be paused "
      "so; the others are never paused or moved. none: no job is. lost: a pause or a move ends the run, and the "
      "job begins again; a run of less than 60 s is not ended, and a job loses at most 3 runs. clairvoyant/Triage "
      "knows run times, which no live system does.");
}

void need_mixed(std::string_view part, Sets& sets, Study& study) {
  const InstanceSet set = sets.weeks();
  if (set.empty()) return;
  for (const Pauses others : others_of(part)) {
    for (const double x : kParts) {
      for (const std::string_view algorithm : kOnCurves) study.need(set, algorithm, in_world(mixed(x, others)));
    }
  }
}

void show_mixed(std::string_view part, Sets& sets, const Study& study, ReproductionReport& report) {
  const InstanceSet set = sets.weeks();
  if (set.empty()) {
    report.note(std::string(part), missing_log(sets.options(), rr7659::kLog));
    return;
  }
  for (const double x : kParts) {
    for (const std::string_view algorithm : kOnCurves) {
      for (const Pauses others : others_of(part)) {
        const std::string column = fmt::format("{}, rest {}", algorithm, enum_name(others));
        report.add({std::string(part),
                    fmt::format("{}", x),
                    column,
                    {},
                    curve_value(part, study.rows(set, algorithm, in_world(mixed(x, others))))});
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
  report.note(std::string(part), set.sentence);
  report.note(std::string(part),
              "Seed 1 draws the jobs; a larger part has all jobs of a smaller one. The rest is never paused (none), or "
              "begins again after a pause (lost).");
}

}  // namespace dfrs::sim::triage_study
