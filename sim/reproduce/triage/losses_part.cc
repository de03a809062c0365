// SPDX-License-Identifier: GPL-2.0-or-later
// Where Triage loses: which jobs fare worst, and where their time goes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "sim/reproduce/rr7659_experiments.h"
#include "sim/reproduce/triage/losses.h"
#include "sim/reproduce/triage/parts.h"

namespace dfrs::sim::triage_study {
namespace {

constexpr std::size_t kWeakest = 12;  // number of weeks listed
constexpr std::array<double, 3> kSomeLoads{0.1, 0.5, 0.9};

struct Group {
  std::string name;
  InstanceSet set;
};

std::vector<Group> groups_of(Sets& sets) {
  std::vector<Group> groups;
  if (InstanceSet weeks = sets.weeks(); !weeks.empty()) groups.push_back({"HPC2N", std::move(weeks)});
  groups.push_back({"Lublin as it is", sets.lublin(kWorkloads)});
  for (const double load : kSomeLoads) {
    groups.push_back({fmt::format("Lublin at load {}", load), sets.lublin(kWorkloads, load)});
  }
  return groups;
}

// The worst job of each instance, or the worst one in a hundred.
std::vector<const Loser*> losers(const std::vector<Losses>& all, bool worst_only) {
  std::vector<const Loser*> chosen;
  for (const Losses& losses : all) {
    for (const Loser& loser : losses.worst) {
      chosen.push_back(&loser);
      if (worst_only) break;
    }
  }
  return chosen;
}

void add_causes(std::string_view part, const std::string& row, const std::vector<const Loser*>& chosen,
                ReproductionReport& report) {
  std::array<std::size_t, kCauses.size()> counts{};
  std::array<std::vector<double>, kCauses.size()> shares;
  for (const Loser* loser : chosen) {
    ++counts[static_cast<std::size_t>(loser->cause)];
    for (std::size_t c = 0; c < kCauses.size(); ++c) {
      const Seconds lost = loser->times.lost();
      shares[c].push_back(lost > 0 ? 100 * lost_by(loser->times, static_cast<Cause>(c)) / lost : 0);
    }
  }
  report.add({std::string(part), row, "jobs", {}, static_cast<double>(chosen.size())});
  for (std::size_t c = 0; c < kCauses.size(); ++c) {
    report.add({std::string(part), row, fmt::format("mostly: {}", kCauses[c]), {}, static_cast<double>(counts[c])});
  }
  for (std::size_t c = 0; c < kCauses.size(); ++c) {
    Comparison cell{std::string(part), row, fmt::format("% of loss: {}", kCauses[c]), {}};
    if (shares[c].empty()) {
      report.add(std::move(cell));
    } else {
      report.add_mean(std::move(cell), shares[c]);
    }
  }
}

void show_classes(std::string_view part, const std::vector<Losses>& all, ReproductionReport& report) {
  constexpr std::array<const std::array<std::string_view, 3>*, 3> kNames{&kMemoryClasses, &kWidthClasses,
                                                                         &kLengthClasses};
  for (std::size_t of = 0; of < kNames.size(); ++of) {
    std::array<double, 3> jobs{};
    for (const Losses& losses : all) {
      for (std::size_t c = 0; c < jobs.size(); ++c) jobs[c] += static_cast<double>(losses.jobs[of][c]);
    }
    const double total = std::accumulate(jobs.begin(), jobs.end(), 0.0);
    for (std::size_t c = 0; c < jobs.size(); ++c) {
      const std::string row((*kNames[of])[c]);
      std::vector<const Loser*> chosen = losers(all, true);
      std::erase_if(chosen, [&](const Loser* loser) { return loser->classes[of] != static_cast<int>(c); });
      report.add({std::string(part), row, "% of all jobs", {}, 100 * jobs[c] / total});
      add_causes(part, row, chosen, report);
    }
  }
}

void show_weakest(std::string_view part, const std::vector<Losses>& all, std::span<const ResultRow> rows,
                  ReproductionReport& report) {
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rows[a].degradation() > rows[b].degradation(); });
  order.resize(std::min(order.size(), kWeakest));
  for (const std::size_t k : order) {
    const Loser& loser = all[k].worst.front();
    const auto add = [&](std::string_view column, double value) {
      report.add({std::string(part), all[k].instance, std::string(column), {}, value});
    };
    add("degradation", rows[k].degradation());
    add("stretch", loser.stretch);
    add("tasks", loser.job.tasks);
    add("memory %", 100 * loser.memory);
    add("run time (s)", loser.job.run_time);
    for (std::size_t c = 0; c < kCauses.size(); ++c) {
      add(fmt::format("{} (s)", kCauses[c]), lost_by(loser.times, static_cast<Cause>(c)));
    }
  }
}

}  // namespace

void need_losses(std::string_view part, Sets& sets, Study& study) {
  if (part != "losses-weakest") {
    for (const Group& group : groups_of(sets)) study.need_losses(group.set);
  } else if (const InstanceSet set = sets.weeks(); !set.empty()) {
    study.need_losses(set);
    study.need(set, kTriage);
  }
}

Result<void> show_losses(std::string_view part, Sets& sets, const Study& study, ReproductionReport& report) {
  if (part == "losses-weakest") {
    const InstanceSet set = sets.weeks();
    if (set.empty()) {
      report.note(std::string(part), missing_log(sets.options(), rr7659::kLog));
      return {};
    }
    show_weakest(part, study.losses(set), study.rows(set, kTriage), report);
    report.note(std::string(part), set.sentence);
    return {};
  }
  std::vector<Losses> pooled;
  for (const Group& group : groups_of(sets)) {
    const std::vector<Losses>& all = study.losses(group.set);
    if (part == "losses-causes") {
      add_causes(part, group.name + ", worst job", losers(all, true), report);
      add_causes(part, group.name + ", worst 1 %", losers(all, false), report);
    }
    pooled.insert(pooled.end(), all.begin(), all.end());
    report.note(std::string(part), group.set.sentence);
  }
  if (part == "losses-classes") show_classes(part, pooled, report);
  report.note(
      std::string(part),
      "waits to start: for memory; paused: for memory, or to give a new job CPU (ROOM); penalty: without progress "
      "after a pause or a move; shares CPU: time lost to yields below 1. mostly: jobs that lost most of their time "
      "there. % of loss: mean over the jobs, which its interval takes as independent.");
  return {};
}

}  // namespace dfrs::sim::triage_study
