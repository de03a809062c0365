// SPDX-License-Identifier: GPL-2.0-or-later
// What pauses are worth where they suspend jobs, so that a job goes on only on its own nodes and needs swap there
// meanwhile.
#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "sim/reproduce/triage/parts.h"

namespace dfrs::sim::triage_study {
namespace {

constexpr std::array<std::string_view, 2> kAlgorithms{kTriage, "GreedyPM*/OPT=MIN"};
constexpr std::array<double, 5> kPartsOfMemory{4, 2, 1, 0.5, 0.25};
constexpr std::array<double, 2> kPartsBesideKept{1, 0.25};

struct Case {
  std::string name;
  Setting setting;
};

Setting with_swap(const PauseWorld& pauses, double part_of_memory) {
  Setting setting;
  setting.pauses = pauses;
  if (part_of_memory > 0) setting.swap = {record::SwapSize::Of::memory, part_of_memory};
  return setting;
}

std::vector<Case> cases() {
  const PauseWorld suspended = PauseWorld::all(PauseEffect::suspended);
  const PauseWorld half{0.5, PauseEffect::suspended, 1, false};
  std::vector<Case> all{{"kept", with_swap(PauseWorld::all(PauseEffect::kept), 0)},
                        {"unlimited", with_swap(suspended, 0)}};
  for (const double part : kPartsOfMemory) all.push_back({fmt::format("memory:{}", part), with_swap(suspended, part)});
  all.push_back({"none", with_swap(PauseWorld::all(PauseEffect::none), 0)});
  for (const double part : kPartsBesideKept) {
    all.push_back({fmt::format("half kept, memory:{}", part), with_swap(half, part)});
  }
  return all;
}

}  // namespace

void need_swap(std::string_view, Sets& sets, Study& study) {
  const InstanceSet set = sets.weeks();
  if (set.empty()) return;
  for (const Case& one : cases()) {
    for (const std::string_view algorithm : kAlgorithms) study.need(set, algorithm, one.setting);
  }
}

Result<void> show_swap(std::string_view part, Sets& sets, const Study& study, ReproductionReport& report) {
  const InstanceSet set = sets.weeks();
  if (!available(part, set, sets, report)) return {};
  for (const Case& one : cases()) {
    for (const std::string_view algorithm : kAlgorithms) {
      const std::span<const ResultRow> rows = study.rows(set, algorithm, one.setting);
      const auto mean = [&](const char* column, double (*value)(const ResultRow&)) {
        add_mean_of(report, part, one.name, fmt::format("{}: {}", algorithm, column), rows, value);
      };
      mean("avg.", degradation_of);
      mean("pauses/job", [](const ResultRow& r) { return r.metrics.pauses_per_job; });
    }
  }
  report.note(std::string(part),
              "kept: jobs go on anywhere. The others are suspended, with so much swap on each node (--pauses suspended "
              "--swap); none: no job is paused. half kept: half of the jobs, drawn by seed 1, go on anywhere.");
  return {};
}

}  // namespace dfrs::sim::triage_study
