// SPDX-License-Identifier: GPL-2.0-or-later
// Logs on which no rule or constant was chosen. They have no memory data, so memory is drawn from a stated model.
#include <algorithm>
#include <array>
#include <cassert>

#include "sim/reproduce/triage/parts.h"

namespace dfrs::sim::triage_study {
namespace {

// Machines with a processor per node: IBM SP2.
constexpr std::array<PlainLog, 3> kLogs{{{"logs-ctc", "CTC-SP2-1996-3.1-cln", 338},
                                         {"logs-kth", "KTH-SP2-1996-2.1-cln", 100},
                                         {"logs-sdsc", "SDSC-SP2-1998-4.2-cln", 128}}};

constexpr std::array<std::string_view, 5> kOthers{"FCFS", "EASY/extra-only", "GreedyPM*/OPT=MIN",
                                                  "GreedyPM*/per/OPT=MIN", "MCB8*/OPT=MIN/MINVT=600"};

std::vector<std::string_view> of_the_logs() {
  std::vector<std::string_view> all(kSettings.begin(), kSettings.end());
  all.insert(all.end(), {kYardstick, kSharedBatch, kBatch});
  all.insert(all.end(), kBestPublished.begin(), kBestPublished.end());
  all.insert(all.end(), kOthers.begin(), kOthers.end());
  return all;
}

}  // namespace

const PlainLog& log_of(std::string_view part) {
  const auto* const found =
      std::find_if(kLogs.begin(), kLogs.end(), [&](const PlainLog& log) { return log.part == part; });
  assert(found != kLogs.end());
  return *found;
}

void need_log(std::string_view part, Sets& sets, Study& study) {
  const InstanceSet set = sets.weeks_of(log_of(part));
  if (set.empty()) return;
  for (const std::string_view algorithm : of_the_logs()) study.need(set, algorithm);
}

Result<void> show_log(std::string_view part, Sets& sets, const Study& study, ReproductionReport& report) {
  const InstanceSet set = sets.weeks_of(log_of(part));
  if (set.empty()) {
    report.note(std::string(part), missing_log(sets.options(), log_of(part).name));
    return {};
  }
  for (const std::string_view algorithm : of_the_logs()) {
    add_figures(report, part, algorithm, study.rows(set, algorithm));
  }
  report.least_wins(part, "avg.");
  report.note(std::string(part), set.sentence);
  report.note(std::string(part),
              "A task per processor, which is a node and fully used. Memory by --memory-model lublin: 10 % of a node "
              "for tasks of 55 % of the jobs, 20 to 100 % for tasks of other jobs.");
  note_figures(report, part);
  return {};
}

}  // namespace dfrs::sim::triage_study
