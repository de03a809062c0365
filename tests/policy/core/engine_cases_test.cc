// SPDX-License-Identifier: GPL-2.0-or-later
// Runs random clusters to their end under every algorithm: each decision equals that of the reference and passes the
// independent checker, and every job that can run ends.
#include <gtest/gtest.h>

#include <vector>

#include "policy/batch/options.h"
#include "policy/core/engine.h"
#include "policy/core/registry.h"
#include "policy/rr7659/algorithm.h"
#include "policy/rr7659/options.h"
#include "tests/oracle/decision_checker.h"
#include "tests/oracle/lockstep.h"
#include "tests/policy/core/test_host.h"

namespace dfrs {
namespace {

// FNV-1a: an algorithm keeps its cases when others are added.
std::uint64_t seed_of(const std::string& name) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

// Algorithms under other readings of what RR-7659 leaves open.
std::vector<Algorithm> readings() {
  std::vector<Algorithm> all;
  for (const char* name :
       {"GreedyP*/PLACE=FIRST", "GreedyPM*/PLACE=FIRST", "GreedyP/per/TIES=NEWEST/PLACE=FIRST",
        "GreedyPM*/per/MINVT=600/TIES=NEWEST/PLACE=FIRST", "GreedyP*/per/FILL", "GreedyPM*/per/TIES=PRIORITY/FILL",
        "MCB8*/TIES=NEWEST", "MCB8*/TIES=PRIORITY", "MCB8/per/TIES=NEWEST", "/per/TIES=NEWEST", "/per/TIES=PRIORITY",
        "/stretch-per/TIES=NEWEST", "/stretch-per/TIES=PRIORITY", "/stretch-per/OPT=AVG/TIES=NEWEST/FINE",
        "/stretch-per/MINVT=600/FINE"}) {
    all.push_back(parse_algorithm(name).value());
  }
  return all;
}

// Runs `count` cases of every algorithm, each with a seed of its own.
void run_all(const TestHostOptions& options, std::uint64_t count, bool ticks_apart,
             const std::vector<Algorithm>& algorithms = registered_algorithms()) {
  int completed = 0;
  std::uint64_t decisions = 0;
  for (const Algorithm& algorithm : algorithms) {
    if (options.needs_change && needs_estimates(algorithm) && !algorithm.traits.shares_nodes) continue;
    std::uint64_t seed = seed_of(algorithm_name(algorithm));
    for (std::uint64_t k = 0; k < count; ++k) {
      oracle::Dice dice(++seed);
      EngineOptions engine;
      engine.of<DfrsOptions>().period = 64;
      engine.of<DfrsOptions>().ticks_apart = ticks_apart;
      engine.of<DfrsOptions>().priority_floor = dice.chance(30) ? 30 : 0;
      engine.of<BatchOptions>().pass_per_event = dice.chance(50);
      TestHost host(dice, algorithm, engine, options);
      oracle::DecisionChecker checker;
      host.observe(&checker);
      std::unique_ptr<oracle::Lockstep> lockstep;
      if (const auto dfrs = dfrs_algorithm(algorithm); dfrs && !options.needs_change) {
        lockstep = std::make_unique<oracle::Lockstep>(*dfrs, engine.of<DfrsOptions>());
        host.observe(lockstep.get());
      }
      const std::string where = algorithm_name(algorithm) + ", seed " + std::to_string(seed);
      const auto ran = host.run();
      ASSERT_TRUE(ran) << ran.error() << ": " << where;
      ASSERT_EQ(checker.violations(), std::vector<std::string>{}) << where;
      if (lockstep) {
        ASSERT_EQ(lockstep->difference(), "") << where;
      }
      completed += host.completed();
      decisions += checker.decisions_seen();
    }
  }
  EXPECT_GT(completed, 500);
  EXPECT_GT(decisions, 1000u);
}

TEST(EngineCases, EqualNodes) { run_all({.general = false, .nodes_come_and_go = false}, oracle::cases(20), true); }

TEST(EngineCases, EqualNodesTicksTogether) {
  run_all({.general = false, .nodes_come_and_go = false}, oracle::cases(10), false);
}

TEST(EngineCases, NodesComeAndGo) { run_all({.general = false}, oracle::cases(10), true); }

TEST(EngineCases, GeneralPlatforms) { run_all({.nodes_come_and_go = false}, oracle::cases(20), true); }

TEST(EngineCases, GeneralPlatformsComeAndGo) { run_all({}, oracle::cases(20), true); }

TEST(EngineCases, Readings) { run_all({.general = false}, oracle::cases(40), true, readings()); }

TEST(EngineCases, ReadingsOnGeneralPlatforms) { run_all({}, oracle::cases(40), false, readings()); }

TEST(EngineCases, NeedsChange) { run_all({.needs_change = true}, oracle::cases(10), true); }

}  // namespace
}  // namespace dfrs
