// SPDX-License-Identifier: GPL-2.0-or-later
// What every registered policy keeps to, whoever wrote it.
#include "policy/core/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "policy/core/engine.h"
#include "policy/yield/lp_solver.h"

namespace dfrs {
namespace {

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

class NoSolver final : public LpSolver {
 public:
  bool maximize(const LinearProgram&, std::span<double>) override { return false; }
};

TEST(Registry, NamesAreUniqueAndReadBack) {
  std::set<std::string> names;
  for (const PolicyFamily* family : policy_families()) {
    ASSERT_FALSE(family->list().empty()) << family->name;
    for (const Algorithm& algorithm : family->list()) {
      const NamedPolicy policy = named(algorithm);
      EXPECT_TRUE(names.insert(upper(policy.name)).second) << policy.name << " is there twice";
      EXPECT_EQ(policy.name.find_first_of(" \t,\"'\\"), std::string::npos) << policy.name;
      EXPECT_GT(policy.description.size(), 20u) << policy.name;
      EXPECT_EQ(policy.description.find('\n'), std::string::npos) << policy.name;
      for (const std::string& given : {policy.name, upper(policy.name), " " + policy.name + "\t"}) {
        const auto parsed = parse_algorithm(given);
        ASSERT_TRUE(parsed) << given << ": " << parsed.error().message;
        EXPECT_EQ(algorithm_name(*parsed), policy.name);
        EXPECT_EQ(parsed->index(), algorithm.index());
      }
    }
  }
  EXPECT_EQ(names.size(), registered_algorithms().size());
}

TEST(Registry, SetsAreNoPolicies) {
  std::set<std::string> sets{"all", "table2"};
  for (const PolicyFamily* family : policy_families()) {
    const std::string name(family->name);
    EXPECT_TRUE(sets.insert(name).second) << name << " is there twice";
    EXPECT_FALSE(family->title.empty()) << name;
    EXPECT_TRUE(std::none_of(name.begin(), name.end(), [](unsigned char c) { return std::isupper(c) != 0; })) << name;
    ASSERT_TRUE(algorithms_of_family(name));
    EXPECT_EQ(algorithms_of_family(name)->size(), family->list().size());
  }
  EXPECT_FALSE(algorithms_of_family("nobody"));
  for (const Algorithm& algorithm : registered_algorithms()) {
    for (const std::string& set : sets) EXPECT_FALSE(same_name(algorithm_name(algorithm), set)) << set;
  }
}

TEST(Registry, EngineMakesThemAll) {
  NoSolver solver;
  EngineOptions with_solver;
  with_solver.dfrs.lp_solver = &solver;
  for (const Algorithm& algorithm : registered_algorithms()) {
    EXPECT_TRUE(Engine::create(algorithm, with_solver)) << algorithm_name(algorithm);
    const auto without = Engine::create(algorithm, {});
    EXPECT_EQ(without.has_value(), !traits_of(algorithm).needs_lp_solver) << algorithm_name(algorithm);
    if (!without) {
      EXPECT_EQ(without.error().code, ErrorCode::bad_option);
      EXPECT_NE(without.error().message.find(algorithm_name(algorithm)), std::string::npos) << without.error().message;
    }
  }
}

TEST(Registry, TraitsOfRr7659) {
  const auto traits = [](const char* name) { return traits_of(parse_algorithm(name).value()); };
  for (const char* name : {"FCFS", "EASY", "EASY/extra-only"}) {
    EXPECT_FALSE(traits(name).shares_nodes) << name;
    EXPECT_FALSE(traits(name).submissions_apart) << name;
    EXPECT_TRUE(needs_estimates(parse_algorithm(name).value())) << name;
  }
  for (const char* name : {"Greedy*", "/per", "MCB8*/per/OPT=AVG"}) {
    EXPECT_TRUE(traits(name).shares_nodes) << name;
    EXPECT_TRUE(traits(name).submissions_apart) << name;
    EXPECT_TRUE(traits(name).takes_up_waiting) << name;
    EXPECT_FALSE(needs_estimates(parse_algorithm(name).value())) << name;
  }
  EXPECT_FALSE(traits("Greedy*/OPT=AVG").needs_lp_solver);
  EXPECT_TRUE(traits("/stretch-per/OPT=AVG").needs_lp_solver);
  EXPECT_FALSE(traits("/stretch-per").needs_lp_solver);
  EXPECT_TRUE(traits("/per/MINVT=600").resync_forgets_nothing);
  EXPECT_FALSE(traits("Greedy/per").resync_forgets_nothing);
}

TEST(Registry, SecondsInNames) {
  for (const char* bad : {"", "0", "-1", "nan", "inf", "1e999", "60x", "x60", " 60"}) {
    EXPECT_FALSE(seconds_from_name(bad)) << bad;
  }
  for (const double value : {600.0, 0.5, 1e-3, 123456789.0, 0.1}) {
    EXPECT_EQ(seconds_from_name(seconds_in_name(value)), value);
  }
  EXPECT_EQ(seconds_in_name(600), "600");
}

}  // namespace
}  // namespace dfrs
