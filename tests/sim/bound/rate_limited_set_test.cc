// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/bound/rate_limited_set.h"

#include <gtest/gtest.h>

#include <vector>

namespace dfrs::sim {
namespace {

double stretch_from(const std::vector<BoundJob>& jobs, double cpu, double from = 1) {
  return RateLimitedSet(jobs, cpu).stretch_from(from);
}

TEST(RateLimitedSet, KeepsAStretchThatIsEnough) {
  EXPECT_EQ(stretch_from({{0, 10, 10, 1}}, 1), 1);
  EXPECT_EQ(stretch_from({{0, 10, 10, 1}}, 1, 3), 3);
}

TEST(RateLimitedSet, OneJob) {
  EXPECT_DOUBLE_EQ(stretch_from({{5, 10, 40, 1}}, 4), 4);  // by its rate
  EXPECT_DOUBLE_EQ(stretch_from({{5, 10, 40, 8}}, 2), 2);  // by the platform
}

// F(S) for S in 1 .. 2: the first job alone, rate 1, on 0 .. 10 S except 5 .. 5 + 4 S, where both have 2 in all, as
// long as 5 + 4 S < 10 S: F = 10 S + 4 S. Work 21: S = 1.5.
TEST(RateLimitedSet, AddsRatesWhereTheyFit) { EXPECT_DOUBLE_EQ(stretch_from({{0, 10, 12, 1}, {5, 4, 9, 1}}, 2), 1.5); }

// On speed 1 the second adds nothing while its deadline 5 + 4 S is before the first's: F = 10 S. Work 21: S = 2.1.
TEST(RateLimitedSet, SharesTheSpeedWhereTheyDoNot) {
  EXPECT_DOUBLE_EQ(stretch_from({{0, 10, 12, 1}, {5, 4, 9, 1}}, 1), 2.1);
}

// Speed 1, windows 0 .. 10 S and 30 .. 30 + S: F = 11 S until they meet at S = 3, then 30 + S until the first's
// deadline is the later one at S = 10/3, then 10 S.
TEST(RateLimitedSet, FollowsDeadlinesThatChangePlaces) {
  const auto stretch_for = [](double work) { return stretch_from({{0, 10, work - 1, 1}, {30, 1, 1, 1}}, 1); };
  EXPECT_NEAR(stretch_for(27.5), 2.5, 1e-12);
  EXPECT_NEAR(stretch_for(33.2), 3.2, 1e-12);
  EXPECT_NEAR(stretch_for(34), 3.4, 1e-12);
}

TEST(RateLimitedSet, KeepsPrecisionLate) {
  EXPECT_NEAR(stretch_from({{1e9, 10, 12, 1}, {1e9 + 5, 4, 9, 1}}, 2), 1.5, 1e-12);
}

}  // namespace
}  // namespace dfrs::sim
