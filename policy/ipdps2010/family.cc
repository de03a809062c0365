// SPDX-License-Identifier: GPL-2.0-or-later
// The algorithms of IPDPS 2010 (section III), the first version of RR-7659: the same mapping rules, with other
// heuristics for CPU and another bound in the priority.
#include <algorithm>
#include <array>

#include "policy/core/registry.h"
#include "policy/ipdps2010/greedy_policies.h"
#include "policy/ipdps2010/lowest_need.h"
#include "policy/ipdps2010/lowest_stretch.h"
#include "policy/rr7659/algorithm.h"
#include "policy/rr7659/dfrs_policy.h"
#include "policy/rr7659/options.h"

namespace dfrs {
namespace {

using Submission = DfrsAlgorithm::Submission;
using Periodic = DfrsAlgorithm::Periodic;

// The least flow time in the priority, in seconds (section III.A).
constexpr Seconds kFlowFloor = 30;

PriorityRule priority_rule(const EngineOptions& options) {
  const Seconds given = options.of<DfrsOptions>().priority_floor;
  return {given > 0 ? given : kFlowFloor};
}

PolicyTraits traits_with_memory(bool remembers_nothing) {
  PolicyTraits traits;
  traits.resync_forgets_nothing = remembers_nothing;
  return traits;
}

Algorithm greedy() {
  return {"GREEDY",
          "a new job goes to the least loaded nodes with memory, or is tried again after 2, 4, .. 4096 s; spare CPU to "
          "those that want least",
          {},
          MakeNonClairvoyant([](const EngineOptions&) { return std::make_unique<ipdps2010::GreedyBackoff>(); })};
}

Algorithm greedy_with_pauses(const char* name, const char* description, Victims victims) {
  return {name, description, {}, MakeNonClairvoyant([victims](const EngineOptions& options) {
            return std::make_unique<ipdps2010::GreedyPausePolicy>(victims, priority_rule(options));
          })};
}

struct McbRow {
  std::string_view name;
  std::string_view description;
  Submission submission;
  bool opportunistic;
  Periodic periodic;
};
constexpr std::array<McbRow, 4> kMcbRows{
    {{"DYNMCB8", "all jobs are repacked at each submission and completion; spare CPU to those that want least",
      Submission::mcb8, true, Periodic::nothing},
     {"DYNMCB8-PER",
      "submissions wait for the next tick, which repacks for the highest yield; spare CPU to those that "
      "want least",
      Submission::nothing, false, Periodic::mcb8},
     {"DYNMCB8-ASAP-PER", "the same, but a new job for which there is memory starts at once", Submission::greedy, false,
      Periodic::mcb8},
     {"DYNMCB8-STRETCH-PER",
      "submissions wait for the next tick, which repacks for the lowest estimated stretch; spare "
      "CPU where it lowers estimates most",
      Submission::nothing, false, Periodic::mcb8_stretch}}};

// `period`: nullopt uses that of the options. `ties`: null means by submission.
Algorithm mcb8(const McbRow& row, std::optional<Seconds> period, const TiesName* ties = nullptr) {
  const bool stretch = row.periodic == Periodic::mcb8_stretch;
  // DYNMCB8-PER acts at ticks only, on what the view shows; the others depend on the events of the instant.
  const PolicyTraits traits = traits_with_memory(row.submission == Submission::nothing && !stretch);
  std::string name(row.name);
  if (period) name += "-" + seconds_in_name(*period);
  if (ties != nullptr) name += "/" + std::string(ties->part);
  const auto make = [row, period, stretch, order = ties != nullptr ? ties->ties : Ties::oldest](
                        const EngineOptions& options) -> std::unique_ptr<NonClairvoyantPolicy> {
    DfrsAlgorithm algorithm;
    algorithm.on_submission = row.submission;
    algorithm.opportunistic = row.opportunistic;
    algorithm.periodic = row.periodic;
    algorithm.ties = order;
    DfrsOptions own = options.of<DfrsOptions>();
    own.priority_floor = priority_rule(options).flow_floor;
    if (period) own.period = *period;
    std::unique_ptr<YieldRule> yields;
    if (stretch) {
      yields = std::make_unique<ipdps2010::LowestStretch>();
    } else {
      yields = std::make_unique<ipdps2010::LowestNeed>();
    }
    return std::make_unique<DfrsPolicy>(algorithm, own, std::move(yields));
  };
  return {std::move(name), std::string(row.description), traits, MakeNonClairvoyant(make)};
}

std::vector<Algorithm> list() {
  std::vector<Algorithm> all{
      greedy(),
      greedy_with_pauses("GREEDY-PMTN",
                         "a new job starts at once, pausing low-priority jobs for memory; paused ones come back at "
                         "any event; spare CPU to those that want least",
                         Victims::pause),
      greedy_with_pauses("GREEDY-PMTN-MIGR",
                         "the same, but jobs paused for a new one go elsewhere at once where there is room",
                         Victims::move)};
  for (const McbRow& row : kMcbRows) all.push_back(mcb8(row, std::nullopt));
  return all;
}

// Names with the period as a suffix, such as DYNMCB8-PER-600, and those with /TIES= behind it.
NameMatch parse(std::string_view name) {
  const TiesName* ties = nullptr;
  const std::size_t slash = name.rfind('/');
  for (const TiesName& t : kTiesNames) {
    if (slash != std::string_view::npos && same_name(name.substr(slash + 1), t.part)) ties = &t;
  }
  if (ties != nullptr) name = name.substr(0, slash);
  for (const McbRow& row : kMcbRows) {
    if (ties != nullptr && same_name(name, row.name)) return Algorithm{mcb8(row, std::nullopt, ties)};
    if (row.periodic == Periodic::nothing || name.size() <= row.name.size() + 1) continue;
    if (!name_starts_with(name, row.name) || name[row.name.size()] != '-') continue;
    const std::string_view digits = name.substr(row.name.size() + 1);
    const std::optional<Seconds> period = seconds_from_name(digits);
    if (!period) {
      return wrong("'" + std::string(digits.substr(0, 40)) + "' is no period, which is a positive number of seconds");
    }
    return Algorithm{mcb8(row, period, ties)};
  }
  return std::nullopt;
}

}  // namespace

extern const PolicyFamily ipdps2010_family{"ipdps2010", "DFRS, first version (IPDPS 2010, section III)", list, parse};

}  // namespace dfrs
