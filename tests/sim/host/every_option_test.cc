// SPDX-License-Identifier: GPL-2.0-or-later
// Each option of each family of policies changes the run of some crowded instance, and each parameter of Triage's name
// sets its option. A new option or parameter fails until it has a case here.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "policy/core/option_table.h"
#include "policy/core/registry.h"
#include "policy/rr7659/options.h"
#include "sim/host/simulation.h"
#include "tests/sim/host/crowded.h"

namespace dfrs::sim {
namespace {

struct Case {
  const char* option;  // table and field, as records spell them
  const char* algorithm;
  double value;           // of a switch: 1 or 0
  const char* word = "";  // how a name of Triage gives it; "": not at all
  PauseEffect pauses = PauseEffect::kept;
  Seconds period = 0;  // if not 0, that of /per
};
const std::vector<Case> kCases{
    {"batch.pass_per_event", "EASY/backfill=SJF", 1},
    {"batch.pack_tasks", "EASY", 1},
    {"rr7659.period", "/per", 900},
    {"rr7659.priority_floor", "GreedyP*", 3000},
    {"rr7659.ticks_apart", "GreedyPM*/per", 0, "", PauseEffect::kept, 60},
    {"triage.penalty", "Triage", 3},
    {"triage.time_scale", "Triage", 20},
    {"triage.patience", "Triage", 400, "PATIENCE=400"},
    {"triage.hold", "Triage", 3, "HOLD=3"},
    {"triage.margin_paused", "Triage", 4, "PAUSED=4"},
    {"triage.elbow_room", "Triage", 0.1, "ROOM=0.1"},
    {"triage.own_loss", "Triage", 1, "OWN=1"},
    {"triage.stretch_power", "Triage", 1, "STRETCH=1"},
    {"triage.age_power", "Triage", 2, "AGE=2"},
    {"triage.move_period", "Triage", 60, "PERIOD=60"},
    {"triage.move_gain", "Triage", 0.5, "PAYS=0.5"},
    {"triage.crowded_return", "Triage", 0, "RETURN=0"},
    {"triage.width_power", "Triage", 2, "WIDTH=2"},
    {"triage.loss_margin", "Triage", 1, "LOSS=1", PauseEffect::lost},
    {"triage.loss_age", "Triage", 1, "AGED=1", PauseEffect::lost},
    {"triage.crowd", "Triage", 1, "CROWD=1", PauseEffect::none},
    {"triage.share", "Triage", 1, "SHARE=1", PauseEffect::none},
    {"triage.probe", "Triage", 60, "PROBE=60", PauseEffect::none},
    {"triage.tied", "Triage", 1, "TIED=1"},
    {"triage.tried", "Triage", 1, "TRIED=1"},
};

std::vector<Seconds> ends(const Instance& instance, const std::string& name, const SimOptions& options) {
  std::vector<Seconds> all;
  for (const JobRecord& job : or_throw(simulate(instance, parse_algorithm(name).value(), options)).jobs)
    all.push_back(job.end);
  return all;
}

TEST(EveryOption, IsNotIgnored) {
  std::vector<std::string> known;
  for (const OptionTable* table : option_tables()) {
    for (const OptionField& field : table->fields) {
      const std::string name = std::string(table->name) + "." + std::string(field.name);
      known.push_back(name);
      const auto found =
          std::find_if(kCases.begin(), kCases.end(), [&](const Case& one) { return one.option == name; });
      if (found == kCases.end()) {
        ADD_FAILURE() << name << " has no case";
        continue;
      }
      SimOptions plain;
      plain.pauses = PauseWorld::all(found->pauses);
      if (found->period > 0) plain.engine.of<DfrsOptions>().period = found->period;
      SimOptions other = plain;
      field.set(other.engine, field.is_number() ? OptionValue(found->value) : OptionValue(found->value != 0));
      if (name == "rr7659.ticks_apart") other.events_apart = false;  // by which the simulator sets it
      bool differs = false;
      for (std::uint64_t seed = 1; seed <= 20 && !differs; ++seed) {
        const Instance instance = crowded_by_all_kinds(seed);
        const std::vector<Seconds> set = ends(instance, found->algorithm, other);
        differs = set != ends(instance, found->algorithm, plain);
        if (*found->word == '\0') continue;
        EXPECT_EQ(ends(instance, std::string("Triage/") + found->word, plain), set) << found->word;
      }
      EXPECT_TRUE(differs) << name << " changes nothing";
    }
  }
  for (const Case& one : kCases) {
    EXPECT_NE(std::find(known.begin(), known.end(), one.option), known.end()) << one.option << " is no option";
  }
}

// Those of time_scale and penalty are SHORT and the host's.
TEST(EveryOption, OfTriageHasAParameter) {
  for (const Case& one : kCases) {
    const std::string name = one.option;
    if (!name.starts_with("triage.") || name == "triage.penalty" || name == "triage.time_scale") continue;
    EXPECT_STRNE(one.word, "") << name;
  }
}

// The options of the host have cases in tests/sim/host/options_test.cc.
static_assert(field_count<SimOptions>() == 12, "a new option needs a case there");
static_assert(field_count<NeedRule>() == 6, "a new option needs a case there");
static_assert(field_count<LostWorkRules>() == 3, "a new option needs a case there");

}  // namespace
}  // namespace dfrs::sim
