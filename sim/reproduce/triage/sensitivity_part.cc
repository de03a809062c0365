// SPDX-License-Identifier: GPL-2.0-or-later
// How Triage changes with one of its parameters, only on the instances that the parameters were chosen on.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

#include "policy/core/enum_names.h"
#include "policy/triage/options.h"
#include "policy/triage/urgency.h"
#include "sim/metrics/metrics.h"
#include "sim/reproduce/rr7659_experiments.h"
#include "sim/reproduce/triage/parts.h"

namespace dfrs::sim::triage_study {
namespace {

struct Parameter {
  std::string_view part;
  std::string_view name;   ///< in Triage's name; empty: the expected penalty
  std::string_view label;  ///< with its unit
  double usual;
  std::vector<double> others;
  PauseEffect pauses = PauseEffect::kept;  ///< what pauses do where the parameter acts
};

const std::vector<Parameter>& parameters() {
  static const TriageOptions kUsual;
  static const std::vector<Parameter> kAll{
      {"sensitivity-patience", "PATIENCE", "PATIENCE (s)", kUsual.patience, {0, 10, 20, 40, 90, 120, 300}},
      {"sensitivity-hold", "HOLD", "HOLD (s)", kUsual.hold, {0, 150, 300, 450, 600, 900, 1200}},
      {"sensitivity-paused", "PAUSED", "PAUSED", kUsual.margin_paused, {1, 1.1, 1.35, 1.5, 2, 3, 5}},
      {"sensitivity-room", "ROOM", "ROOM (share of the CPU)", kUsual.elbow_room, {0, 0.25, 0.5}},
      {"sensitivity-own", "OWN", "OWN", kUsual.own_loss, {0, 1, 5, 10, 40, 80}},
      {"sensitivity-stretch", "STRETCH", "STRETCH", kUsual.stretch_power, {0, 1, 1.5, 2.5, 3, 4}},
      {"sensitivity-age", "AGE", "AGE", kUsual.age_power, {0, 1, 1.5, 2}},
      {"sensitivity-period", "PERIOD", "PERIOD (s)", kUsual.move_period, {60, 150, 600, 1200, 3600}},
      {"sensitivity-pays", "PAYS", "PAYS", kUsual.move_gain, {0, 0.5, 1, 2, 4, 8}},
      {"sensitivity-tied", "TIED", "TIED (jobs)", kUsual.tied, {0, 10, 30, 100, 1000}},
      {"sensitivity-tried", "TRIED", "TRIED (jobs)", kUsual.tried, {0, 10, 30, 100}},
      {"sensitivity-return", "RETURN", "RETURN (share of the CPU)", kUsual.crowded_return, {0, 0.25, 0.5, 0.9}},
      {"sensitivity-width", "WIDTH", "WIDTH", kUsual.width_power, {0, 0.5, 0.75, 1}},
      {"sensitivity-loss", "LOSS", "LOSS", kUsual.loss_margin, {1, 1.5, 3, 4, 6, 10}, PauseEffect::lost},
      {"sensitivity-aged", "AGED", "AGED", kUsual.loss_age, {2, 4, 8, 16, 48, 100}, PauseEffect::lost},
      {"sensitivity-crowd", "CROWD", "CROWD", kUsual.crowd, {0, 5, 20, 50, 100}, PauseEffect::none},
      {"sensitivity-share", "SHARE", "SHARE", kUsual.share, {0.5, 1, 2, 5, 10}, PauseEffect::none},
      {"sensitivity-probe", "PROBE", "PROBE (s)", kUsual.probe, {0, 4500, 9000, 36000, 72000}, PauseEffect::none},
      {"sensitivity-short", "SHORT", "SHORT (s)", triage::kShort, {2, 5, 20, 40}},
      {"sensitivity-penalty", "", "penalty expected (s), it is 300", kUsual.penalty, {0, 60, 150, 600, 1200}}};
  return kAll;
}

const Parameter& parameter_of(std::string_view part) {
  const std::vector<Parameter>& all = parameters();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Parameter& one) { return one.part == part; });
  assert(found != all.end());
  return *found;
}

std::vector<double> values_of(const Parameter& parameter) {
  std::vector<double> values = parameter.others;
  if (std::find(values.begin(), values.end(), parameter.usual) == values.end()) values.push_back(parameter.usual);
  std::sort(values.begin(), values.end());
  return values;
}

std::string algorithm_with(const Parameter& parameter, double value) {
  if (parameter.name.empty() || value == parameter.usual) return std::string(kTriage);
  return fmt::format("{}/{}={}", kTriage, parameter.name, value);
}

Setting setting_with(const Parameter& parameter, double value) {
  Setting setting;
  if (parameter.name.empty()) setting.expected = value;
  setting.pauses = PauseWorld::all(parameter.pauses);
  return setting;
}

std::vector<InstanceSet> sets_of(Sets& sets) {
  return {sets.weeks(kTrainingWeeks), sets.lublin(kFewWorkloads, 0, kTrainingSeed)};
}

std::vector<double> degradations(const Parameter& parameter, const InstanceSet& set, const Study& study, double value) {
  return triage_study::values_of(study.rows(set, algorithm_with(parameter, value), setting_with(parameter, value)),
                                 degradation_of);
}

std::string_view name_of(const InstanceSet& set) { return set.weeks.empty() ? "Lublin" : "HPC2N"; }

}  // namespace

void need_sensitivity(std::string_view part, Sets& sets, Study& study) {
  const Parameter& parameter = parameter_of(part);
  for (const InstanceSet& set : sets_of(sets)) {
    if (set.empty()) continue;
    for (const double value : values_of(parameter)) {
      study.need(set, algorithm_with(parameter, value), setting_with(parameter, value));
    }
  }
}

Result<void> show_sensitivity(std::string_view part, Sets& sets, const Study& study, ReproductionReport& report) {
  const Parameter& parameter = parameter_of(part);
  for (const InstanceSet& set : sets_of(sets)) {
    if (set.empty()) {
      report.note(std::string(part), missing_log(sets.options(), rr7659::kLog));
      continue;
    }
    for (const double value : values_of(parameter)) {
      const std::vector<double> values = degradations(parameter, set, study, value);
      const Summary s = summarize(values);
      const auto add = [&](const char* column, double measured) {
        report.add(
            {std::string(part), fmt::format("{}", value), fmt::format("{} {}", name_of(set), column), {}, measured});
      };
      report.add_mean({std::string(part), fmt::format("{}", value), fmt::format("{} avg.", name_of(set)), {}}, values);
      add("median", s.median);
      add("p90", s.p90);
    }
    report.note(std::string(part), set.sentence);
  }
  report.plot({.part = std::string(part),
               .x_label = std::string(parameter.label),
               .y_label = "degradation from bound",
               .even_x = true,
               .marked = parameter.usual});
  report.note(std::string(part), fmt::format("By default it is {}.", parameter.usual));
  if (parameter.pauses != PauseEffect::kept) {
    report.note(std::string(part), fmt::format("With --pauses {}.", enum_name(parameter.pauses)));
  }
  return {};
}

void need_all_sensitivity(std::string_view, Sets& sets, Study& study) {
  for (const Parameter& parameter : parameters()) need_sensitivity(parameter.part, sets, study);
}

Result<void> show_all_sensitivity(std::string_view part, Sets& sets, const Study& study, ReproductionReport& report) {
  for (const InstanceSet& set : sets_of(sets)) {
    if (set.empty()) {
      report.note(std::string(part), missing_log(sets.options(), rr7659::kLog));
      continue;
    }
    for (const Parameter& parameter : parameters()) {
      const std::vector<double> usual = degradations(parameter, set, study, parameter.usual);
      for (const double value : values_of(parameter)) {
        const std::string row =
            fmt::format("{}={}", parameter.name.empty() ? "penalty expected" : parameter.name, value);
        std::vector<double> minus = degradations(parameter, set, study, value);
        report.add_mean({std::string(part), row, std::string(name_of(set)), {}}, minus);
        for (std::size_t k = 0; k < minus.size(); ++k) minus[k] -= usual[k];
        report.add_mean({std::string(part), row, fmt::format("{} minus default", name_of(set)), {}}, minus);
      }
    }
    report.note(std::string(part), set.sentence);
  }
  report.note(
      std::string(part),
      "Average degradations, and by how much they are above the default's, paired by instance. LOSS and AGED with "
      "--pauses lost; CROWD, SHARE and PROBE with none; the others with kept.");
  return {};
}

}  // namespace dfrs::sim::triage_study
