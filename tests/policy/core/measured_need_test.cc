// SPDX-License-Identifier: GPL-2.0-or-later
// All numbers are worked out by hand. Defaults: floor 0.1, headroom 1.25, used up at 0.9, rise 2, memory 60 s, step
// 0.1.
#include "policy/core/measured_need.h"

#include <gtest/gtest.h>

namespace dfrs {
namespace {

TEST(MeasuredNeed, IsWhatWasAskedForUntilItIsSeenToBeLess) {
  MeasuredNeed need;
  EXPECT_EQ(need.need(), 1);
  EXPECT_FALSE(need.sample(1, 1, 60, {}));
  EXPECT_FALSE(need.sample(0.2, 1, 0, {}));   // no time
  EXPECT_FALSE(need.sample(0.2, 0, 60, {}));  // no quota
  EXPECT_EQ(need.need(), 1);
}

TEST(MeasuredNeed, ALowerUseCountsLittleByLittle) {
  MeasuredNeed need;
  // The sample shows a need of 0.4 x 1.25 = 0.5: half of the way there after 60 s, half of the rest after 60 s more.
  EXPECT_TRUE(need.sample(0.4, 1, 60, {}));
  EXPECT_DOUBLE_EQ(need.need(), 0.75);
  EXPECT_TRUE(need.sample(0.4, 1, 60, {}));
  EXPECT_DOUBLE_EQ(need.need(), 0.625);
  // 0.5625 is exactly a tenth less and is not reported; 0.53125 is.
  EXPECT_FALSE(need.sample(0.4, 1, 60, {}));
  EXPECT_DOUBLE_EQ(need.need(), 0.625);
  EXPECT_TRUE(need.sample(0.4, 1, 60, {}));
  EXPECT_DOUBLE_EQ(need.need(), 0.53125);
}

TEST(MeasuredNeed, AShortSampleCountsLess) {
  MeasuredNeed need;
  EXPECT_TRUE(need.sample(0.0, 1, 20, {}));  // a quarter of the way to the floor's side: 1 - 1/4
  EXPECT_DOUBLE_EQ(need.need(), 0.75);
}

TEST(MeasuredNeed, HasAFloor) {
  MeasuredNeed need;
  for (int k = 0; k < 20; ++k) need.sample(0, 1, 60, {});
  EXPECT_EQ(need.need(), 0.1);
  NeedRule rule;
  rule.floor = 0.3;
  need.sample(0, 1, 60, rule);
  EXPECT_EQ(need.need(), 0.3);
}

// With spare CPU a job may use more than its estimated need: that counts at once.
TEST(MeasuredNeed, AHigherUseCountsAtOnce) {
  MeasuredNeed need;
  for (int k = 0; k < 20; ++k) need.sample(0, 1, 60, {});
  EXPECT_TRUE(need.sample(0.4, 1, 1, {}));
  EXPECT_DOUBLE_EQ(need.need(), 0.5);
  EXPECT_TRUE(need.sample(1, 1, 1, {}));
  EXPECT_EQ(need.need(), 1);
}

// A job that uses up a quota of its estimated need: 0.1, 0.2, 0.4, 0.8, 1, however short the samples.
TEST(MeasuredNeed, DoublesWhileItsOwnQuotaHoldsItBack) {
  MeasuredNeed need;
  for (int k = 0; k < 20; ++k) need.sample(0, 1, 60, {});
  for (const double expected : {0.2, 0.4, 0.8, 1.0}) {
    const double quota = need.need();
    EXPECT_TRUE(need.sample(0.95 * quota, quota, 1, {}));
    EXPECT_DOUBLE_EQ(need.need(), expected);
  }
}

// Others share the node: the samples do not contradict the estimate, but it ages and doubles in 30 s.
TEST(MeasuredNeed, RisesSlowlyWhileOthersHoldItBack) {
  MeasuredNeed need;
  for (int k = 0; k < 20; ++k) need.sample(0, 1, 60, {});
  EXPECT_FALSE(need.sample(0.05, 0.05, 1.5, {}));  // 0.105
  EXPECT_TRUE(need.sample(0.05, 0.05, 3, {}));     // 0.1155
  EXPECT_DOUBLE_EQ(need.need(), 0.1155);
  EXPECT_TRUE(need.sample(0.05, 0.05, 30, {}));
  EXPECT_DOUBLE_EQ(need.need(), 0.231);
  for (int k = 0; k < 10; ++k) need.sample(0.05, 0.05, 60, {});
  EXPECT_EQ(need.need(), 1);
}

// A job that uses 0.89 of its quota is not held back.
TEST(MeasuredNeed, WhatIsLeftUnusedShowsTheNeed) {
  MeasuredNeed need;
  for (int k = 0; k < 60; ++k) need.sample(0.4, 0.5, 60, {});
  EXPECT_NEAR(need.need(), 0.5, 0.05);
}

TEST(MeasuredNeed, CanBeForgotten) {
  MeasuredNeed need;
  need.sample(0.1, 1, 600, {});
  EXPECT_LT(need.need(), 0.5);
  need.forget();
  EXPECT_EQ(need.need(), 1);
}

}  // namespace
}  // namespace dfrs
