// SPDX-License-Identifier: GPL-2.0-or-later
// Between which bounds the optimum lies: from below by what no schedule can beat, from above by the best schedule that
// some algorithm of the study found.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/bound/gangs.h"
#include "sim/metrics/metrics.h"
#include "sim/reproduce/triage/parts.h"

namespace dfrs::sim::triage_study {
namespace {

// Every schedule of the study where pauses keep the work.
std::vector<std::string_view> searched() {
  std::vector<std::string_view> all = all_compared();
  for (const std::string_view algorithm : kBestPublished) {
    if (std::find(all.begin(), all.end(), algorithm) == all.end()) all.push_back(algorithm);
  }
  return all;
}

struct Week {
  std::string name;
  double divisible = 1;
  double ls1 = 1;    ///< over divisible, as what follows
  double below = 1;  ///< the better of ls1 and the bound of gangs
  double above = 0;  ///< the lowest degradation from divisible
  std::string_view by;
};

Result<std::vector<Week>> weeks_of(const InstanceSet& set, const Study& study) {
  std::vector<Week> weeks(set.size);
  for (const std::string_view algorithm : searched()) {
    const std::span<const ResultRow> rows = study.rows(set, algorithm);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      Week& week = weeks[k];
      if (!week.by.empty() && rows[k].degradation() >= week.above) continue;
      const double ls1 = rows[k].bound_ls1 / rows[k].bound_divisible;
      week = {fmt::format("{:03}", set.weeks[k]), rows[k].bound_divisible, ls1, ls1, rows[k].degradation(), algorithm};
    }
  }
  const Result<std::vector<Instance>> instances = set.make();
  if (!instances) return tl::unexpected(instances.error());
  for (std::size_t k = 0; k < weeks.size(); ++k) {
    const Result<double> gangs = gang_bound((*instances)[k]);
    if (!gangs) return tl::unexpected(gangs.error());
    weeks[k].below = std::max(weeks[k].below, *gangs / weeks[k].divisible);
  }
  return weeks;
}

}  // namespace

void need_optimum(std::string_view, Sets& sets, Study& study) {
  const InstanceSet set = sets.weeks();
  if (set.empty()) return;
  for (const std::string_view algorithm : searched()) study.need(set, algorithm);
}

Result<void> show_optimum(std::string_view part, Sets& sets, const Study& study, ReproductionReport& report) {
  const InstanceSet set = sets.weeks();
  if (!available(part, set, sets, report)) return {};
  const Result<std::vector<Week>> found_weeks = weeks_of(set, study);
  if (!found_weeks) return tl::unexpected(found_weeks.error());
  const std::vector<Week>& weeks = *found_weeks;
  const auto add = [&](const char* row, double (*value)(const Week&)) {
    std::vector<double> values;
    for (const Week& week : weeks) values.push_back(value(week));
    const Summary s = summarize(values);
    report.add_mean({std::string(part), row, "avg.", {}}, values);
    for (const auto& [column, measured] : {std::pair{"median", s.median}, {"p90", s.p90}, {"max", s.max}})
      report.add({std::string(part), row, column, {}, measured});
  };
  add("ls1 / divisible", [](const Week& week) { return week.ls1; });
  add("below: the better of ls1 and gangs / divisible", [](const Week& week) { return week.below; });
  add("above: best schedule / divisible", [](const Week& week) { return week.above; });
  add("above / below", [](const Week& week) { return week.above / week.below; });
  const auto gangs = std::count_if(weeks.begin(), weeks.end(), [](const Week& week) { return week.below > week.ls1; });
  report.note(std::string(part), fmt::format("Gangs give the better bound in {} weeks.", gangs));
  std::map<std::string_view, std::size_t> found;
  for (const Week& week : weeks) ++found[week.by];
  std::string by;
  for (const std::string_view algorithm : searched()) {
    if (found.contains(algorithm)) by += fmt::format("{}{} {}", by.empty() ? "" : ", ", algorithm, found[algorithm]);
  }
  report.note(std::string(part), "Weeks by who found the best schedule, the first of equals: " + by + ".");
  return {};
}

Result<void> show_optimum_weeks(std::string_view part, Sets& sets, const Study& study, ReproductionReport& report) {
  const InstanceSet set = sets.weeks();
  if (!available(part, set, sets, report)) return {};
  const Result<std::vector<Week>> weeks = weeks_of(set, study);
  if (!weeks) return tl::unexpected(weeks.error());
  for (const Week& week : *weeks) {
    report.add({std::string(part), week.name, "below", {}, week.below});
    report.add({std::string(part), week.name, "above", {}, week.above});
    report.add({std::string(part), week.name, "found by", {}, 0, std::string(week.by)});
  }
  report.note(std::string(part),
              "Degradations from the divisible bound. below: the better of ls1 and the bound of gangs; above: the best "
              "schedule found.");
  return {};
}

}  // namespace dfrs::sim::triage_study
