// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "sim/errors.h"
#include "sim/reproduce/reproduction.h"
#include "tests/sim/failure_message.h"
#include "tests/sim/reproduce/made_up.h"

namespace dfrs::sim {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Reproductions, AreFoundByName) {
  EXPECT_EQ(or_throw(find_reproduction("other", kTwo))->paper, "Somebody, Another paper, 2012");
  EXPECT_THAT(message_of(kExitUsage, find_reproduction("mad-up", kTwo)),
              AllOf(HasSubstr("'mad-up'"), HasSubstr("did you mean 'made-up'?"), HasSubstr("reproduce --list")));
}

TEST(Reproductions, PartsAreSeparatedByCommas) {
  EXPECT_THAT(or_throw(parse_parts("", kMadeUp)), IsEmpty());
  EXPECT_THAT(or_throw(parse_parts("figure1a,table1,figure1a", kMadeUp)), ElementsAre("figure1a", "table1"));
  EXPECT_THAT(message_of(kExitUsage, parse_parts("table1,figure1", kMadeUp)),
              AllOf(HasSubstr("--parts"), HasSubstr("'figure1'"), HasSubstr("did you mean 'figure1a'?"),
                    HasSubstr("reproduce made-up --list")));
  EXPECT_THAT(message_of(kExitUsage, parse_parts("table1,,table2", kMadeUp)), HasSubstr("no part ''"));
}

TEST(Reproductions, ReadingsAreSeparatedByCommas) {
  constexpr std::array<ReproductionPart, 2> readings{{{"sizes-log", ""}, {"fit", ""}}};
  const Reproduction reproduction{"open", "", kMadeUpParts, nullptr, readings};
  EXPECT_THAT(or_throw(parse_readings("", reproduction)), IsEmpty());
  EXPECT_THAT(or_throw(parse_readings("fit,sizes-log", reproduction)), ElementsAre("fit", "sizes-log"));
  EXPECT_THAT(message_of(kExitUsage, parse_readings("fits", reproduction)),
              AllOf(HasSubstr("--assume"), HasSubstr("did you mean 'fit'?"), HasSubstr("reproduce open --list")));
  EXPECT_THAT(message_of(kExitUsage, parse_readings("fit", kMadeUp)), HasSubstr("no readings"));
}

TEST(Reproductions, PartsOfOneKindHaveACommonName) {
  constexpr std::array<ReproductionPart, 5> parts{
      {{"logs-a", ""}, {"weeks", ""}, {"logsheet", ""}, {"logs-b", ""}, {"weeks-split", ""}}};
  const Reproduction reproduction{"kinds", "", parts, nullptr};
  EXPECT_THAT(or_throw(parse_parts("logs", reproduction)), ElementsAre("logs-a", "logs-b"));
  EXPECT_THAT(or_throw(parse_parts("logs-b,logs", reproduction)), ElementsAre("logs-b", "logs-a"));
  EXPECT_THAT(or_throw(parse_parts("weeks", reproduction)), ElementsAre("weeks")) << "a part of this very name";
  EXPECT_THAT(message_of(kExitUsage, parse_parts("log", reproduction)), HasSubstr("no part 'log'"));
}

TEST(Reproductions, WantsAllPartsUnlessSomeAreNamed) {
  ReproduceOptions options;
  EXPECT_TRUE(options.wants("table2"));
  options.parts = {"table1"};
  EXPECT_TRUE(options.wants("table1"));
  EXPECT_FALSE(options.wants("table2"));
}

// What the command line relies on, for every reproduction.
TEST(Reproductions, HaveDistinctNamesAndParts) {
  std::set<std::string_view> names;
  for (const Reproduction& reproduction : all_reproductions()) {
    EXPECT_TRUE(names.insert(reproduction.name).second) << reproduction.name;
    EXPECT_FALSE(reproduction.paper.empty()) << reproduction.name;
    EXPECT_NE(reproduction.run, nullptr) << reproduction.name;
    EXPECT_FALSE(reproduction.parts.empty()) << reproduction.name;
    std::set<std::string_view> parts;
    for (const ReproductionPart& part : reproduction.parts) {
      EXPECT_TRUE(parts.insert(part.name).second) << reproduction.name << " " << part.name;
      EXPECT_EQ(part.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string_view::npos)
          << part.name;
      EXPECT_FALSE(part.title.empty()) << part.name;
    }
  }
}

}  // namespace
}  // namespace dfrs::sim
