// SPDX-License-Identifier: GPL-2.0-or-later
// Runs random clusters to their end: every decision of Triage, in all its settings, equals that of the plain reference.
#include <gtest/gtest.h>

#include <span>

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

// What clairvoyant/Triage goes by, beside the options of Triage that it shares.
TriageOptions with_run_times(TriageOptions options) {
  options.patience = 10;
  options.hold = 0;
  options.margin_paused = 1.2;
  options.stretch_power = 3;
  options.width_power = 0;
  options.move_gain = 1;
  return options;
}

void compare(const TestHostOptions& host_options, std::uint64_t count, std::span<const Setting> settings = kSettings) {
  // The plain second implementation takes minutes where nothing is optimised.
  const bool few = sanitized() || !kOptimised;
  if (few) count /= 3;
  std::uint64_t pauses = 0;
  std::uint64_t moves = 0;
  std::uint64_t cuts = 0;
  std::uint64_t few_tried = 0;
  std::uint64_t late = 0;
  std::uint64_t beside = 0;
  std::uint64_t kept_off = 0;
  std::uint64_t collections = 0;
  for (const Setting& setting : settings) {
    const Algorithm algorithm = parse_algorithm(setting.name).value();
    for (std::uint64_t seed = 1; seed <= count; ++seed) {
      oracle::Dice dice(seed);
      EngineOptions engine;
      // The random jobs run for minutes, so that both short scales make the rules on progress act.
      engine.of<TriageOptions>().time_scale = dice.chance(50) ? 0.125 : 0.015625;
      if (dice.chance(50)) engine.of<TriageOptions>().tied = dice.chance(50) ? 0 : dice.between(0, 8);
      if (dice.chance(50)) engine.of<TriageOptions>().tried = dice.between(0, 4);
      TestHost host(dice, algorithm, engine, host_options);
      oracle::DecisionChecker checker;
      const TriageOptions& options = engine.of<TriageOptions>();
      const bool knows = algorithm.traits.knows_run_times;
      const std::span<const Seconds> times = needs_estimates(algorithm) ? host.estimates() : std::span<const Seconds>();
      oracle::TriageLockstep lockstep(setting.parts, knows ? with_run_times(options) : options,
                                      knows ? times : std::span<const Seconds>(), times);
      host.observe(&checker);
      host.observe(&lockstep);
      const auto ran = host.run();
      ASSERT_TRUE(ran) << ran.error() << ": " << setting.name << ", seed " << seed;
      ASSERT_EQ(lockstep.difference(), "") << setting.name << ", seed " << seed;
      ASSERT_EQ(checker.violations(), std::vector<std::string>{}) << setting.name << ", seed " << seed;
      pauses += lockstep.pauses();
      moves += lockstep.moves();
      cuts += lockstep.cuts();
      few_tried += lockstep.few_tried();
      late += lockstep.late();
      beside += lockstep.beside();
      kept_off += lockstep.kept_off();
      collections += lockstep.collections();
    }
  }
  if (host_options.worlds && settings.size() == 1) {
    EXPECT_GT(beside, few ? 0u : 20u);
    EXPECT_GT(kept_off, few ? 0u : 20u);
  }
  if (host_options.worlds && settings.size() > 1) {
    EXPECT_GT(collections, few ? 0u : 20u);
    EXPECT_GT(kept_off, 0u);
  }
  if (host_options.stay) return;
  EXPECT_GT(pauses, few ? 30u : 100u);
  EXPECT_GT(moves, few ? 0u : 5u);
  EXPECT_GT(cuts, few ? 30u : 100u);
  EXPECT_GT(few_tried, few ? 0u : 15u);
  EXPECT_GE(late, few ? 0u : 6u);
}

TEST(TriageLockstep, EqualNodes) {
  compare({.general = false, .nodes_come_and_go = false, .jobs = 30}, oracle::cases(60));
}

TEST(TriageLockstep, GeneralPlatforms) { compare({.nodes_come_and_go = false, .jobs = 30}, oracle::cases(60)); }

TEST(TriageLockstep, NodesComeAndGo) { compare({.jobs = 20}, oracle::cases(30)); }

// Many jobs wait that differ in nothing but their urgency.
TEST(TriageLockstep, JobsThatAreAlike) {
  compare({.general = false, .nodes_come_and_go = false, .jobs = 60, .kinds = 4}, oracle::cases(30));
}

TEST(TriageLockstep, JobsThatAreAlikeOnGeneralPlatforms) {
  compare({.worlds = true, .jobs = 60, .kinds = 4}, oracle::cases(30));
}

// Their CPU needs, as with CpuNeed=measured.
TEST(TriageLockstep, NeedsChange) {
  compare({.general = false, .nodes_come_and_go = false, .needs_change = true, .jobs = 30}, oracle::cases(40));
}

// Some jobs keep their work, others lose it, and others may not be paused at all.
TEST(TriageLockstep, MixedWorlds) {
  compare({.general = false, .nodes_come_and_go = false, .worlds = true, .jobs = 30}, oracle::cases(60));
}

TEST(TriageLockstep, MixedWorldsOnGeneralPlatforms) { compare({.worlds = true, .jobs = 30}, oracle::cases(60)); }

// Where some jobs may never be paused, memory is reserved for them by time limits, half of which are wrong.
constexpr Setting kLimits[] = {{"Triage/LIMITS", {}}};

TEST(TriageLimitsLockstep, EqualNodes) {
  compare({.general = false, .nodes_come_and_go = false, .worlds = true, .jobs = 30}, oracle::cases(200), kLimits);
}

TEST(TriageLimitsLockstep, NothingIsEverPaused) {
  compare({.worlds = true, .stay = true, .jobs = 30}, oracle::cases(200), kLimits);
}

TEST(TriageLimitsLockstep, GeneralPlatforms) { compare({.worlds = true, .jobs = 30}, oracle::cases(200), kLimits); }

// The yardstick. Half of the run times that it goes by are wrong, so that it also meets jobs that outlive them.
constexpr Setting kClairvoyant[] = {{"clairvoyant/Triage", {}}};

TEST(ClairvoyantTriageLockstep, EqualNodes) {
  compare({.general = false, .nodes_come_and_go = false, .jobs = 30}, oracle::cases(150), kClairvoyant);
}

TEST(ClairvoyantTriageLockstep, NodesComeAndGo) { compare({.jobs = 20}, oracle::cases(100), kClairvoyant); }

TEST(ClairvoyantTriageLockstep, MixedWorlds) {
  compare({.general = false, .nodes_come_and_go = false, .worlds = true, .jobs = 30}, oracle::cases(150), kClairvoyant);
}

TEST(ClairvoyantTriageLockstep, MixedWorldsOnGeneralPlatforms) {
  compare({.worlds = true, .jobs = 30}, oracle::cases(150), kClairvoyant);
}

}  // namespace
}  // namespace dfrs
