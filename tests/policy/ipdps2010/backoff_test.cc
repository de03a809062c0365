// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/ipdps2010/backoff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dfrs::ipdps2010 {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Backoff, DelayDoublesUpTo4096) {
  EXPECT_EQ(backoff_delay(1), 2);
  EXPECT_EQ(backoff_delay(2), 4);
  EXPECT_EQ(backoff_delay(11), 2048);
  EXPECT_EQ(backoff_delay(12), 4096);
  EXPECT_EQ(backoff_delay(13), 4096);
  EXPECT_EQ(backoff_delay(4'000'000'000), 4096);
}

TEST(Backoff, EachJobHasItsOwnCount) {
  Backoff backoff;
  EXPECT_EQ(backoff.next(), kNever);
  backoff.failed(7, 100);  // due at 102
  backoff.failed(3, 100);  // 102
  EXPECT_EQ(backoff.next(), 102);
  EXPECT_THAT(backoff.due(101.9), IsEmpty());
  EXPECT_THAT(backoff.due(102), ElementsAre(7, 3));  // in order of their first failures
  backoff.failed(7, 102);                            // 106
  EXPECT_THAT(backoff.due(105), ElementsAre(3));
  backoff.forget(3);
  EXPECT_EQ(backoff.next(), 106);
  backoff.failed(3, 103);  // as new: 105
  EXPECT_EQ(backoff.next(), 105);
  EXPECT_THAT(backoff.due(106), ElementsAre(7, 3));
  backoff.clear();
  EXPECT_EQ(backoff.next(), kNever);
}

}  // namespace
}  // namespace dfrs::ipdps2010
