// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/limits.h"

#include <gtest/gtest.h>

#include "shim/controller/backoff.h"
#include "shim/controller/identity.h"
#include "tests/oracle/dice.h"

namespace dfrs::shim {
namespace {

constexpr Seconds kNow = 1.7e9;

TEST(Limits, ALowYieldMovesTheEndAway) {
  // 10 min, 2 of them used, at a quarter: 32 min to go.
  const auto end = wanted_end_time({10, 120, 0.25, static_cast<std::int64_t>(kNow) + 480}, kNow);
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(*end, static_cast<std::int64_t>(kNow + 1920 + kLimitSlack));
}

TEST(Limits, WithoutALimitOrYieldNothingIsAsked) {
  EXPECT_FALSE(wanted_end_time({UINT32_MAX, 0, 1, 0}, kNow).has_value());
  EXPECT_FALSE(wanted_end_time({10, 0, 0, 0}, kNow).has_value());
}

TEST(Limits, AUsedUpLimitEndsSoon) {
  const auto end = wanted_end_time({1, 60, 0.5, static_cast<std::int64_t>(kNow) + 1000}, kNow);
  ASSERT_TRUE(end.has_value());
  EXPECT_LE(*end, static_cast<std::int64_t>(kNow + kLimitSlack) + 1);
}

TEST(Limits, ALimitUsedUpLongAgoHasEnded) {
  const auto end = wanted_end_time({1, 1e20, 1e-9, static_cast<std::int64_t>(kNow) + 1000}, kNow);
  ASSERT_TRUE(end.has_value());
  EXPECT_GT(*end, 0);
  EXPECT_LT(*end, static_cast<std::int64_t>(kNow));
}

// Yields change at random; calls come at each change and every few seconds: the end is never early, and late by
// seconds.
TEST(Limits, NeverEarlyAndNotForEverLate) {
  oracle::Dice dice(1);
  for (int run = 0; run < 300; ++run) {
    const auto limit = static_cast<std::uint32_t>(dice.between(1, 300));
    Seconds now = kNow + dice.uniform();
    Seconds used = 0;
    auto end = static_cast<std::int64_t>(now) + std::int64_t{60} * limit;  // as slurmctld sets it at the start
    double yield = 0.02 + 0.98 * dice.uniform();
    for (int step = 0; step < 100000; ++step) {
      if (const auto asked = wanted_end_time({limit, used, yield, end}, now)) end = *asked;
      const Seconds next = now + (dice.chance(50) ? 5 : 5 * dice.uniform());
      if (static_cast<Seconds>(end) <= next) {
        used += yield * (static_cast<Seconds>(end) - now);
        break;
      }
      used += yield * (next - now);
      now = next;
      if (dice.chance(20)) yield = 0.02 + 0.98 * dice.uniform();
    }
    EXPECT_GE(used, 60.0 * limit) << run;
    // The slack, a second for rounding, one of tolerance.
    EXPECT_LE(used, 60.0 * limit + kLimitSlack + 2.1) << run;
  }
}

TEST(BackOff, DoublesUpToItsLast) {
  EXPECT_EQ(back_off(1, 2, 60), 2);
  EXPECT_EQ(back_off(2, 2, 60), 4);
  EXPECT_EQ(back_off(5, 2, 60), 32);
  EXPECT_EQ(back_off(6, 2, 60), 60);
  EXPECT_EQ(back_off(4000000000u, 2, 60), 60);
}

TEST(Identity, RequeuesKeepAJobAndUsedNumbersDoNot) {
  const JobIdentity first{1000, 0, 100};
  EXPECT_TRUE(same_job(first, {1000, 0, 100}));
  EXPECT_TRUE(same_job(first, {1000, 1, 100})) << "requeued, being cleaned up";
  EXPECT_TRUE(same_job(first, {1000, 1, 130})) << "requeued";
  EXPECT_TRUE(same_job({1000, 1, 100}, {1000, 1, 130})) << "the clean-up is complete";
  EXPECT_FALSE(same_job(first, {1000, 0, 130})) << "another submission that was never requeued";
  EXPECT_FALSE(same_job(first, {1001, 0, 100})) << "another user";
  EXPECT_FALSE(same_job({1000, 2, 100}, {1000, 1, 100})) << "fewer restarts";
  EXPECT_FALSE(same_job({1000, 1, 100}, {1000, 1, 90})) << "submitted earlier";
}

}  // namespace
}  // namespace dfrs::shim
