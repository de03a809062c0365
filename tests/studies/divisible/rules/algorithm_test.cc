// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/divisible/rules/algorithm.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace dfrs::divisible {
namespace {

TEST(DivisibleAlgorithm, HasTheElevenOfTable1) {
  std::set<std::string_view> names;
  for (const Algorithm algorithm : all_algorithms()) {
    names.insert(algorithm_name(algorithm));
    EXPECT_FALSE(describe(algorithm).empty());
    const auto parsed = parse_algorithm(algorithm_name(algorithm));
    ASSERT_TRUE(parsed.has_value());
    EXPECT_EQ(*parsed, algorithm);
  }
  EXPECT_EQ(names, (std::set<std::string_view>{"Offline", "Online", "Online-EDF", "Online-EGDF", "Bender98", "SWRPT",
                                               "SRPT", "SPT", "Bender02", "MCT-DIV", "MCT"}));
}

TEST(DivisibleAlgorithm, NamesTheNearest) {
  EXPECT_EQ(*parse_algorithm("online-egdf"), Algorithm::online_egdf);
  const auto wrong = parse_algorithm("SRWPT");
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().code, ErrorCode::bad_algorithm);
  EXPECT_EQ(wrong.error().message, "unknown algorithm for divisible load 'SRWPT'; did you mean 'SRPT'?");
}

TEST(DivisibleModel, ClustersWithTheSameDatabanksAreOneSite) {
  const Platform platform({{10, 1.0, {0, 1}}, {2, 3.0, {1}}, {1, 4.0, {0, 1}}, {1, 1.0, {}}}, 2);
  ASSERT_EQ(platform.sites().size(), 3U);
  EXPECT_EQ(platform.sites()[0].clusters, (std::vector<ClusterIndex>{0, 2}));
  EXPECT_EQ(platform.sites()[0].power, 14);
  EXPECT_EQ(platform.sites_of(0).size(), 1U);
  EXPECT_EQ(platform.sites_of(1).size(), 2U);
  EXPECT_EQ(platform.reach(0), 14);
  EXPECT_EQ(platform.reach(1), 20);
  EXPECT_EQ(platform.power(), 21);
  EXPECT_TRUE(platform.holds(1, 1));
  EXPECT_FALSE(platform.holds(1, 0));
}

}  // namespace
}  // namespace dfrs::divisible
