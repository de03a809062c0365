// SPDX-License-Identifier: GPL-2.0-or-later
// HPC2N's weeks: all of them, the weeks that rules were chosen on beside the others, and the whole distribution.
#include <fmt/format.h>

#include <algorithm>

#include "sim/metrics/metrics.h"
#include "sim/reproduce/triage/parts.h"

namespace dfrs::sim::triage_study {
namespace {

constexpr int kSteps = 20;  // of the distribution

std::vector<std::string_view> few_compared() {
  std::vector<std::string_view> few(kSettings.begin(), kSettings.end());
  few.insert(few.end(), kBestPublished.begin(), kBestPublished.end());
  few.insert(few.end(), {kYardstick, kSharedBatch, kBatch});
  return few;
}

// Without the siblings of the best published algorithm, which would lie on its curve.
std::vector<std::string_view> of_the_curve() {
  std::vector<std::string_view> few(kSettings.begin(), kSettings.end());
  few.insert(few.end(), {kYardstick, kBestPublished.front(), kBatch});
  return few;
}

// Those that profit most where pauses cost nothing.
std::vector<std::string_view> of_free_pauses() {
  std::vector<std::string_view> few{kTriage, kYardstick};
  few.insert(few.end(), kBestPublished.begin(), kBestPublished.end());
  return few;
}

Setting free_pauses() {
  Setting setting;
  setting.penalty = 0;
  return setting;
}

}  // namespace

void need_weeks_free(std::string_view, Sets& sets, Study& study) {
  const InstanceSet set = sets.weeks();
  if (set.empty()) return;
  for (const std::string_view algorithm : of_free_pauses()) study.need(set, algorithm, free_pauses());
}

Result<void> show_weeks_free(std::string_view part, Sets& sets, const Study& study, ReproductionReport& report) {
  const InstanceSet set = sets.weeks();
  if (!available(part, set, sets, report)) return {};
  for (const std::string_view algorithm : of_free_pauses()) {
    add_figures(report, part, algorithm, study.rows(set, algorithm, free_pauses()));
  }
  report.least_wins(part, "avg.");
  report.note(std::string(part), "Pauses and moves cost no time.");
  return {};
}

void need_weeks(std::string_view part, Sets& sets, Study& study) {
  const InstanceSet set = sets.weeks();
  if (set.empty()) return;
  for (const std::string_view algorithm : part == "weeks" ? all_compared() : few_compared()) study.need(set, algorithm);
}

Result<void> show_weeks(std::string_view part, Sets& sets, const Study& study, ReproductionReport& report) {
  const InstanceSet set = sets.weeks();
  if (!available(part, set, sets, report)) return {};
  for (const std::string_view algorithm : all_compared()) {
    add_figures(report, part, algorithm, study.rows(set, algorithm));
  }
  report.least_wins(part, "avg.");
  note_figures(report, part);
  return {};
}

Result<void> show_weeks_split(std::string_view part, Sets& sets, const Study& study, ReproductionReport& report) {
  const InstanceSet set = sets.weeks();
  if (!available(part, set, sets, report)) return {};
  std::size_t chosen = 0;
  for (const std::string_view algorithm : few_compared()) {
    const std::span<const ResultRow> rows = study.rows(set, algorithm);
    for (const bool training : {true, false}) {
      std::vector<ResultRow> some;
      for (std::size_t k = 0; k < rows.size(); ++k) {
        if (is_training_week(set.weeks[k]) == training) some.push_back(rows[k]);
      }
      if (some.empty()) continue;
      if (training) chosen = some.size();
      const std::vector<double> degradations = values_of(some, degradation_of);
      const Summary s = summarize(degradations);
      const std::string of = training ? "chosen on: " : "others: ";
      const auto add = [&](const char* column, double value) {
        report.add({std::string(part), std::string(algorithm), of + column, {}, value});
      };
      report.add_mean({std::string(part), std::string(algorithm), of + "avg.", {}}, degradations);
      add("median", s.median);
      add("p90", s.p90);
      add("max", s.max);
      add_mean_of(report, part, algorithm, of + "U", some, underutilization_of);
    }
  }
  report.note(std::string(part), fmt::format("Triage's rules and constants were chosen on every third week from the "
                                             "first: {} of these, {} others.",
                                             chosen, set.size - chosen));
  return {};
}

Result<void> show_weeks_curve(std::string_view part, Sets& sets, const Study& study, ReproductionReport& report) {
  const InstanceSet set = sets.weeks();
  if (!available(part, set, sets, report)) return {};
  for (const std::string_view algorithm : of_the_curve()) {
    std::vector<double> values = values_of(study.rows(set, algorithm), degradation_of);
    std::sort(values.begin(), values.end());
    for (int step = 0; step <= kSteps; ++step) {
      const std::size_t at = (values.size() - 1) * static_cast<std::size_t>(step) / kSteps;
      report.add({std::string(part), fmt::format("{}", 100 * step / kSteps), std::string(algorithm), {}, values[at]});
    }
  }
  report.plot({std::string(part), "% of the weeks", "degradation from bound at most", false, true});
  return {};
}

}  // namespace dfrs::sim::triage_study
