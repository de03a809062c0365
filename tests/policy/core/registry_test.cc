// SPDX-License-Identifier: GPL-2.0-or-later
// The rules that every registered policy must obey.
#include "policy/core/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <set>

#include "policy/core/engine.h"
#include "policy/core/enum_names.h"

namespace dfrs {
namespace {

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

TEST(Registry, NamesAreUniqueAndReadBack) {
  std::set<std::string> names;
  for (const PolicyFamily* family : policy_families()) {
    ASSERT_FALSE(family->list().empty()) << family->name;
    for (const Algorithm& algorithm : family->list()) {
      const Algorithm& policy = algorithm;
      EXPECT_TRUE(names.insert(upper(policy.name)).second) << policy.name << " is there twice";
      EXPECT_EQ(policy.name.find_first_of(" \t,\"'\\"), std::string::npos) << policy.name;
      EXPECT_GT(policy.description.size(), 20u) << policy.name;
      EXPECT_EQ(policy.description.find('\n'), std::string::npos) << policy.name;
      for (const std::string& given : {policy.name, upper(policy.name), " " + policy.name + "\t"}) {
        const auto parsed = parse_algorithm(given);
        ASSERT_TRUE(parsed) << given << ": " << parsed.error().message;
        EXPECT_EQ(algorithm_name(*parsed), policy.name);
        EXPECT_EQ(parsed->make.index(), algorithm.make.index());
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
  for (const Algorithm& algorithm : registered_algorithms()) {
    EXPECT_TRUE(Engine::create(algorithm, {})) << algorithm_name(algorithm);
  }
}

TEST(Registry, TraitsOfRr7659) {
  const auto traits = [](const char* name) { return parse_algorithm(name).value().traits; };
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
  EXPECT_TRUE(traits("/per/MINVT=600").resync_forgets_nothing);
  EXPECT_FALSE(traits("Greedy/per").resync_forgets_nothing);
}

TEST(Registry, OptionTables) {
  const EngineOptions defaults;
  std::set<std::string_view> tables;
  for (const OptionTable* table : option_tables()) {
    EXPECT_TRUE(tables.insert(table->name).second) << table->name;
    std::set<std::string_view> names;
    for (const OptionField& field : table->fields) {
      SCOPED_TRACE(std::string(table->name) + "." + std::string(field.name));
      EXPECT_TRUE(names.insert(field.name).second);
      EXPECT_EQ(field.is_number(), std::holds_alternative<double>(field.get(defaults)));
      if (!field.is_number()) continue;
      EXPECT_TRUE(field.range.holds(std::get<double>(field.get(defaults))));
      // The engine refuses a value out of range and names the option.
      for (const double wrong : {-1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
        EngineOptions options;
        field.set(options, wrong);
        const auto engine = Engine::create(parse_algorithm("EASY").value(), options);
        ASSERT_FALSE(engine) << wrong;
        EXPECT_EQ(engine.error().code, ErrorCode::bad_option);
        EXPECT_NE(engine.error().message.find(field.name), std::string::npos) << engine.error().message;
        EXPECT_NE(engine.error().message.find(table->name), std::string::npos) << engine.error().message;
      }
    }
  }
  EXPECT_EQ(tables, (std::set<std::string_view>{"batch", "rr7659", "triage"}));
}

struct One {
  double value = 1;
};
struct Other {
  double value = 2;
};

TEST(EngineOptions, AreKeptByTheirType) {
  EngineOptions options;
  const EngineOptions& shown = options;
  EXPECT_EQ(shown.of<One>().value, 1);
  One& one = options.of<One>();
  options.of<Other>().value = 7;
  one.value = 5;
  EXPECT_EQ(shown.of<One>().value, 5) << "it stays where it is when others are set";
  const EngineOptions copy = options;
  one.value = 6;
  EXPECT_EQ(copy.of<One>().value, 5);
  EXPECT_EQ(copy.of<Other>().value, 7);
  EXPECT_EQ(EngineOptions().of<Other>().value, 2);
}

TEST(EngineOptions, MembersAreCounted) {
  struct Three {
    double a = 0;
    bool b = false;
    double c = 0;
  };
  static_assert(field_count<One>() == 1);
  static_assert(field_count<Three>() == 3);
}

TEST(EnumNames, ReadBack) {
  const auto check = [](auto last) {
    using Enum = decltype(last);
    const auto names = enum_names<Enum>();
    ASSERT_EQ(names.size(), static_cast<std::size_t>(last) + 1);
    for (std::size_t k = 0; k < names.size(); ++k) {
      EXPECT_EQ(enum_from_name<Enum>(names[k]), static_cast<Enum>(k));
      EXPECT_EQ(enum_name(static_cast<Enum>(k)), names[k]);
    }
    EXPECT_EQ(enum_from_name<Enum>("nothing of the kind"), std::nullopt);
  };
  check(JobState::paused);
  check(EventKind::changed);
  check(DecisionKind::start);
  check(ErrorCode::internal);
  EXPECT_EQ(enum_name(DecisionKind::pause), "pause");
  EXPECT_EQ(enum_name(DecisionKind::move), "move");
  EXPECT_EQ(enum_name(DecisionKind::resume), "resume");
  EXPECT_EQ(enum_name(DecisionKind::start), "start");
  EXPECT_EQ(enum_name(JobState::absent), "absent");
  EXPECT_EQ(enum_name(JobState::waiting), "waiting");
  EXPECT_EQ(enum_name(JobState::running), "running");
  EXPECT_EQ(enum_name(EventKind::completed), "completed");
  EXPECT_EQ(enum_name(EventKind::submitted), "submitted");
  EXPECT_EQ(enum_name(EventKind::resync), "resync");
  EXPECT_EQ(enum_name(ErrorCode::bad_decision), "bad_decision");
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
