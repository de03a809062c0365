// SPDX-License-Identifier: GPL-2.0-or-later
// Whether Triage stays ahead of the best published algorithm under conditions other than those it was tuned for:
// penalties, periods, nodes, mixes of jobs, a flood, CPU needs.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/metrics/metrics.h"
#include "sim/reproduce/rr7659_experiments.h"
#include "sim/reproduce/triage/parts.h"
#include "sim/workload/job_weights.h"

namespace dfrs::sim::triage_study {
namespace {

constexpr RealNeeds kRealNeeds{0.2, 1};

constexpr std::array<double, 4> kPenalties{0, 60, 300, 900};
constexpr std::array<double, 5> kPeriods{600, 900, 1800, 3600, 7200};

// A penalty as long as the period leaves algorithms with /per no time for progress (RR-7659, section 6.4.2).
Setting with_penalty(double penalty) {
  Setting setting;
  setting.penalty = penalty;
  setting.period = std::max(setting.period, 2 * penalty);
  return setting;
}

Setting with_period(double period) {
  Setting setting;
  setting.period = period;
  return setting;
}

struct Case {
  std::string name;
  InstanceSet set;
  Setting setting = {};
};

InstanceSet base(bool weeks, Sets& sets) { return weeks ? sets.weeks(kEveryWeek) : sets.lublin(kFewWorkloads); }

std::vector<Case> cases_of(std::string_view part, Sets& sets) {
  const bool weeks = part == "robust-weeks";
  const InstanceSet usual = base(weeks, sets);
  if (usual.empty()) return {};
  std::vector<Case> cases;
  const auto add = [&](std::string name, InstanceSet set, Setting setting = {}) {
    cases.push_back({std::move(name), std::move(set), setting});
  };
  add("as it is", usual);
  for (const double penalty : kPenalties) {
    if (penalty != Setting{}.penalty) add(fmt::format("penalty {} s", penalty), usual, with_penalty(penalty));
  }
  for (const double period : {1800.0, 3600.0}) add(fmt::format("period {} s", period), usual, with_period(period));
  if (weeks) {
    Setting packed;  // otherwise EASY uses a whole node per one-core task
    packed.pack_tasks = true;
    add("64 cores per node", sets.wide_weeks(kEveryWeek), packed);
  } else {
    for (const int cores : {2, 64})
      add(fmt::format("{} cores per node", cores), sets.lublin(kFewWorkloads, 0, 0, cores));
  }
  for (const double factor : {2.0, 0.5}) {
    add(factor > 1 ? "memory doubled" : "memory halved",
        changed(usual, fmt::format("memory x {}", factor), [=](Instance& i) { multiply_memory(i, factor); }));
  }
  add("CPU needs halved", changed(usual, "needs x 0.5", [](Instance& i) { multiply_needs(i, 0.5); }));
  if (!weeks) {
    add("load 0.9", sets.lublin(kFewWorkloads, 0.9));
    for (const double memory : {0.1, 0.5}) {
      add(fmt::format("flood, {:.0f} % memory", 100 * memory),
          changed(usual, fmt::format("flood {}", memory), [=](Instance& i) { flood(i, memory); }));
    }
  }
  const InstanceSet real = changed(usual, "real needs", [](Instance& i) { set_real_needs(i, kRealNeeds); });
  add("real needs 20-100 %", real);
  Setting discover;
  discover.discover_needs = true;
  add("the same, discovered", real, discover);
  return cases;
}

struct Best {
  std::string_view name;
  Summary summary;
};

Best best_published(const Study& study, const InstanceSet& set, const Setting& setting) {
  Best best;
  for (const std::string_view algorithm : kBestPublished) {
    const Summary s = summarize(values_of(study.rows(set, algorithm, setting), degradation_of));
    if (best.name.empty() || s.mean < best.summary.mean) best = {algorithm, s};
  }
  return best;
}

void need_all(Study& study, const InstanceSet& set, const Setting& setting) {
  study.need(set, kTriage, setting);
  study.need(set, kYardstick, setting);
  study.need(set, kSharedBatch, setting);
  study.need(set, kBatch, setting);
  for (const std::string_view algorithm : kBestPublished) study.need(set, algorithm, setting);
}

std::string ahead(double triage, double published, double batch) {
  if (triage <= published && triage <= batch) return "Triage";
  return published <= batch ? "published" : "EASY";
}

void note_missing(std::string_view part, const Sets& sets, ReproductionReport& report) {
  report.note(std::string(part), missing_log(sets.options(), rr7659::kLog));
}

template <std::size_t N>
void need_curve(Sets& sets, Study& study, const std::array<double, N>& values, Setting (*setting)(double)) {
  for (const bool weeks : {true, false}) {
    const InstanceSet set = base(weeks, sets);
    if (set.empty()) continue;
    for (const double value : values) need_all(study, set, setting(value));
  }
}

template <std::size_t N>
void show_curve(std::string_view part, Sets& sets, const Study& study, ReproductionReport& report,
                const std::array<double, N>& values, Setting (*setting)(double)) {
  for (const bool weeks : {true, false}) {
    const InstanceSet set = base(weeks, sets);
    if (set.empty()) {
      note_missing(part, sets, report);
      continue;
    }
    report.note(std::string(part), set.sentence);
    for (const double value : values) {
      const auto add = [&](const char* column, std::string_view algorithm) {
        const std::string heading = fmt::format("{}: {}", weeks ? "HPC2N" : "Lublin", column);
        add_mean_of(report, part, fmt::format("{}", value), heading, study.rows(set, algorithm, setting(value)),
                    degradation_of);
      };
      add("Triage", kTriage);
      add("yardstick", kYardstick);
      add("best published", best_published(study, set, setting(value)).name);
    }
  }
}

}  // namespace

void need_robust(std::string_view part, Sets& sets, Study& study) {
  for (const Case& one : cases_of(part, sets)) need_all(study, one.set, one.setting);
}

Result<void> show_robust(std::string_view part, Sets& sets, const Study& study, ReproductionReport& report) {
  const std::vector<Case> cases = cases_of(part, sets);
  if (cases.empty()) {
    note_missing(part, sets, report);
    return {};
  }
  for (const Case& one : cases) {
    const Summary triage = summarize(values_of(study.rows(one.set, kTriage, one.setting), degradation_of));
    const Best best = best_published(study, one.set, one.setting);
    const Summary batch = summarize(values_of(study.rows(one.set, kBatch, one.setting), degradation_of));
    const Summary shared = summarize(values_of(study.rows(one.set, kSharedBatch, one.setting), degradation_of));
    const auto add = [&](const char* column, double value, std::string words = {}) {
      report.add({std::string(part), one.name, column, {}, value, std::move(words)});
    };
    const auto mean = [&](const char* column, std::string_view algorithm, double (*value)(const ResultRow&)) {
      add_mean_of(report, part, one.name, column, study.rows(one.set, algorithm, one.setting), value);
    };
    mean("Triage avg.", kTriage, degradation_of);
    add("p90", triage.p90);
    add("max", triage.max);
    mean("U", kTriage, underutilization_of);
    mean("yardstick avg.", kYardstick, degradation_of);
    mean("published avg.", best.name, degradation_of);
    add("its p90", best.summary.p90);
    add("its max", best.summary.max);
    mean("EASY/shared avg.", kSharedBatch, degradation_of);
    mean("its U", kSharedBatch, underutilization_of);
    mean("EASY avg.", kBatch, degradation_of);
    add("ahead by avg.", 0, ahead(triage.mean, best.summary.mean, std::min(batch.mean, shared.mean)));
    add("by max", 0, ahead(triage.max, best.summary.max, std::min(batch.max, shared.max)));
    // The four share the beginnings and ends of their names.
    add("published is", 0, std::string(best.name));
  }
  report.note(std::string(part), cases.front().set.sentence);
  report.note(
      std::string(part),
      "published: the best by average in the row of GreedyPM* and GreedyP* with /per/OPT=MIN and MINVT=600 or 300. "
      "Its period is 600 s unless the row says otherwise, and 1,800 s with the penalty of 900 s; Triage has none. "
      "yardstick: clairvoyant/Triage, which knows run times.");
  report.note(std::string(part),
              part == "robust-weeks"
                  ? "64 cores: 4 nodes of 64 processors and 64 GiB, a task per processor with the log's memory, at "
                    "least 102 MiB; EASY packs tasks on nodes."
                  : "Cores: a one-task job uses one core, tasks of other jobs use all.");
  report.note(
      std::string(part),
      "Memory doubled: at most as much as lets all tasks of a job fit at once. Real needs: jobs use a random fraction "
      "of the CPU they request (--real-need 0.2-1); discovered: --discover-needs.");
  if (part == "robust-weeks") return {};
  report.note(
      std::string(part),
      "Flood: one user's 2,000 one-task jobs of ten minutes within an hour, from the middle job on, a quarter of a "
      "node's CPU each.");
  return {};
}

void need_penalties(std::string_view, Sets& sets, Study& study) { need_curve(sets, study, kPenalties, with_penalty); }

Result<void> show_penalties(std::string_view part, Sets& sets, const Study& study, ReproductionReport& report) {
  show_curve(part, sets, study, report, kPenalties, with_penalty);
  report.plot({std::string(part), "penalty (s)", "average degradation from bound"});
  return {};
}

void need_periods(std::string_view, Sets& sets, Study& study) { need_curve(sets, study, kPeriods, with_period); }

Result<void> show_periods(std::string_view part, Sets& sets, const Study& study, ReproductionReport& report) {
  show_curve(part, sets, study, report, kPeriods, with_period);
  report.plot({.part = std::string(part),
               .x_label = "period (s)",
               .y_label = "average degradation from bound",
               .even_x = true});
  report.note(std::string(part), "The period is that of /per; Triage considers moves on its own clock.");
  return {};
}

}  // namespace dfrs::sim::triage_study
