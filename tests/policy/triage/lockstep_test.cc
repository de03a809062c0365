// SPDX-License-Identifier: GPL-2.0-or-later
// Runs random clusters to their end: every decision of Triage, in all its settings, equals that of the plain reference.
#include <gtest/gtest.h>

#include "policy/core/algorithm.h"
#include "policy/triage/options.h"
#include "tests/oracle/decision_checker.h"
#include "tests/oracle/triage.h"
#include "tests/policy/core/test_host.h"
#include "tests/sanitizers.h"

namespace dfrs {
namespace {

using Placement = TriageParts::Placement;
using YieldsPart = TriageParts::Yields;
using Moves = TriageParts::Moves;

struct Setting {
  const char* name;
  TriageParts parts;
};
constexpr Setting kSettings[] = {
    {"Triage", {Placement::harm, YieldsPart::urgent, Moves::gain}},
    {"Triage/PLACE=LOAD/YIELD=EQUAL/MOVE=NONE", {Placement::load, YieldsPart::equal, Moves::none}},
    {"Triage/PLACE=LOAD/YIELD=EQUAL/MOVE=FEW", {Placement::load, YieldsPart::equal, Moves::few}},
    {"Triage/YIELD=EQUAL", {Placement::harm, YieldsPart::equal, Moves::gain}},
    {"Triage/PAUSE=NONE", {Placement::harm, YieldsPart::urgent, Moves::gain, false}},
    {"Triage/MOVE=NONE/PAUSE=NONE", {Placement::harm, YieldsPart::urgent, Moves::none, false}},
};

#ifdef __OPTIMIZE__
constexpr bool kOptimised = true;
#else
constexpr bool kOptimised = false;
#endif

void compare(const TestHostOptions& host_options, std::uint64_t count) {
  // The plain second implementation takes minutes where nothing is optimised.
  if (sanitized() || !kOptimised) count /= 3;
  std::uint64_t pauses = 0;
  std::uint64_t moves = 0;
  std::uint64_t cuts = 0;
  for (const Setting& setting : kSettings) {
    const Algorithm algorithm = parse_algorithm(setting.name).value();
    for (std::uint64_t seed = 1; seed <= count; ++seed) {
      oracle::Dice dice(seed);
      EngineOptions engine;
      // The random jobs run for minutes, so that both short scales make the rules on progress act.
      engine.of<TriageOptions>().time_scale = dice.chance(50) ? 0.125 : 0.015625;
      if (dice.chance(50)) engine.of<TriageOptions>().tied = dice.between(0, 8);
      TestHost host(dice, algorithm, engine, host_options);
      oracle::DecisionChecker checker;
      oracle::TriageLockstep lockstep(setting.parts, engine.of<TriageOptions>());
      host.observe(&checker);
      host.observe(&lockstep);
      const auto ran = host.run();
      ASSERT_TRUE(ran) << ran.error() << ": " << setting.name << ", seed " << seed;
      ASSERT_EQ(lockstep.difference(), "") << setting.name << ", seed " << seed;
      ASSERT_EQ(checker.violations(), std::vector<std::string>{}) << setting.name << ", seed " << seed;
      pauses += lockstep.pauses();
      moves += lockstep.moves();
      cuts += lockstep.cuts();
    }
  }
  EXPECT_GT(pauses, 100u);
  EXPECT_GT(moves, 5u);
  EXPECT_GT(cuts, 100u);
}

TEST(TriageLockstep, EqualNodes) {
  compare({.general = false, .nodes_come_and_go = false, .jobs = 30}, oracle::cases(60));
}

TEST(TriageLockstep, GeneralPlatforms) { compare({.nodes_come_and_go = false, .jobs = 30}, oracle::cases(60)); }

TEST(TriageLockstep, NodesComeAndGo) { compare({.jobs = 20}, oracle::cases(30)); }

// Some jobs keep their work, others lose it, and others may not be paused at all.
TEST(TriageLockstep, MixedWorlds) {
  compare({.general = false, .nodes_come_and_go = false, .worlds = true, .jobs = 30}, oracle::cases(60));
}

TEST(TriageLockstep, MixedWorldsOnGeneralPlatforms) { compare({.worlds = true, .jobs = 30}, oracle::cases(60)); }

}  // namespace
}  // namespace dfrs
