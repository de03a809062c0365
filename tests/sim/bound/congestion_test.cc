// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/bound/congestion.h"

#include <gtest/gtest.h>

#include <vector>

namespace dfrs::sim {
namespace {

void expect_job(const CongestedJob& job, std::uint32_t index, Seconds begin, Seconds end, double work) {
  EXPECT_EQ(job.job, index);
  EXPECT_DOUBLE_EQ(job.begin, begin);
  EXPECT_DOUBLE_EQ(job.end, end);
  EXPECT_DOUBLE_EQ(job.work, work);
}

TEST(Congestion, IsNoneWhereAllRatesFit) {
  EXPECT_TRUE(congested_parts({}, 1, 1).empty());
  const std::vector<BoundJob> jobs{{0, 10, 10, 1}, {5, 10, 20, 2}, {15, 10, 30, 3}};
  EXPECT_TRUE(congested_parts(jobs, 3, 1).empty());
}

// Speed 1, S = 1: windows 0 .. 20 and 5 .. 15. The first does 10 of its 12 alone; 10 s remain for its 2 and the
// other's 7.
TEST(Congestion, GivesFullRatesOutsideIt) {
  const std::vector<BoundJob> jobs{{0, 20, 12, 1}, {5, 10, 7, 1}};
  const auto parts = congested_parts(jobs, 1, 1);
  ASSERT_EQ(parts.size(), 1);
  ASSERT_EQ(parts[0].size(), 2);
  expect_job(parts[0][0], 0, 0, 10, 2);
  expect_job(parts[0][1], 1, 0, 10, 7);
}

// Windows 0 .. 10, 5 .. 15, 12 .. 22. The first is done alone by 5 s; then 5 .. 10 is the second's, which leaves it 5
// of 10: 12 .. 15 is congested until 10 .. 12 completes it.
TEST(Congestion, EndsWithTheJobsThatCausedIt) {
  const std::vector<BoundJob> done{{0, 10, 5, 1}, {5, 10, 7, 1}, {12, 10, 10, 1}};
  EXPECT_TRUE(congested_parts(done, 1, 1).empty());
  const std::vector<BoundJob> open{{0, 10, 5, 1}, {5, 10, 8, 1}, {12, 10, 10, 1}};
  const auto parts = congested_parts(open, 1, 1);
  ASSERT_EQ(parts.size(), 1);
  ASSERT_EQ(parts[0].size(), 2);
  expect_job(parts[0][0], 1, 0, 3, 1);
  expect_job(parts[0][1], 2, 0, 3, 3);
}

TEST(Congestion, SplitsIntoPartsThatShareNoTime) {
  const std::vector<BoundJob> jobs{{0, 10, 8, 1}, {0, 10, 8, 1}, {10, 5, 5, 1}, {10, 5, 5, 1}, {12, 3, 3, 1}};
  const auto parts = congested_parts(jobs, 1, 1);
  ASSERT_EQ(parts.size(), 2);
  EXPECT_EQ(parts[0].size(), 2);
  EXPECT_EQ(parts[1].size(), 3);
  EXPECT_EQ(parts[1][0].job, 2);
}

TEST(Congestion, LimitsRatesToThePlatform) {
  const std::vector<BoundJob> jobs{{0, 10, 80, 8}};
  const auto parts = congested_parts(jobs, 2, 1);
  EXPECT_TRUE(parts.empty() || parts[0][0].rate == 2);
}

}  // namespace
}  // namespace dfrs::sim
