// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/http/rate_limit.h"

#include <gtest/gtest.h>

namespace dfrs::shim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(RateLimit, HalfAMinutesWorthAtOnceThenByTheClock) {
  RateLimit limit(12);
  const auto begin = RateLimit::Clock::now();
  for (int k = 0; k < 6; ++k) EXPECT_FALSE(limit.take(1, begin)) << k;
  EXPECT_EQ(limit.take(1, begin), seconds(5));
  EXPECT_EQ(limit.take(1, begin + milliseconds(4900)), seconds(1));
  EXPECT_FALSE(limit.take(1, begin + milliseconds(5001)));
  EXPECT_TRUE(limit.take(1, begin + milliseconds(5002)));
  // Never more than half a minute's worth, however long nobody asked.
  for (int k = 0; k < 6; ++k) EXPECT_FALSE(limit.take(1, begin + seconds(3600))) << k;
  EXPECT_TRUE(limit.take(1, begin + seconds(3600)));
}

TEST(RateLimit, UsersDoNotCountForEachOther) {
  RateLimit limit(1);
  const auto begin = RateLimit::Clock::now();
  for (uid_t user = 0; user < 5000; ++user) EXPECT_FALSE(limit.take(user, begin));
  for (uid_t user = 0; user < 5000; ++user) EXPECT_EQ(limit.take(user, begin), seconds(60));
}

// Less than one a minute: one at once all the same.
TEST(RateLimit, SmallRates) {
  RateLimit limit(0.1);
  const auto begin = RateLimit::Clock::now();
  EXPECT_FALSE(limit.take(1, begin));
  EXPECT_EQ(limit.take(1, begin), seconds(600));
  EXPECT_FALSE(limit.take(1, begin + seconds(601)));
}

}  // namespace
}  // namespace dfrs::shim
