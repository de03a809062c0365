// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/mcb8/priority.h"

#include <gtest/gtest.h>

namespace dfrs {
namespace {

JobView job_of(Seconds submit, Seconds virtual_time) {
  JobView job;
  job.submit = submit;
  job.clock = {virtual_time, 1e9, 0};
  return job;
}

TEST(Priority, FlowTimeOverSquaredVirtualTime) {
  EXPECT_DOUBLE_EQ(priority(job_of(100, 20), 500, {}), 1.0);
  EXPECT_DOUBLE_EQ(priority(job_of(0, 10), 50, {}), 0.5);
  EXPECT_EQ(priority(job_of(0, 0), 50, {}), kNever);
  EXPECT_EQ(priority(job_of(50, 0), 50, {}), kNever);
}

TEST(Priority, Ipdps2010CountsFlowTimesAsAtLeast30Seconds) {
  EXPECT_DOUBLE_EQ(priority(job_of(40, 5), 50, PriorityRule{30}), 30.0 / 25);
  EXPECT_DOUBLE_EQ(priority(job_of(40, 5), 50, PriorityRule{}), 10.0 / 25);
  EXPECT_DOUBLE_EQ(priority(job_of(0, 5), 50, PriorityRule{30}), 2);
}

// The paper's example: 10 s at 1, two minutes paused, 30 s at 0.5: 25 s.
TEST(Priority, VirtualTimeIsTheIntegralOfTheYield) {
  VirtualClock clock{0, 0, 1};
  clock = {clock.at(10), 10, 0};
  clock = {clock.at(130), 130, 0.5};
  EXPECT_DOUBLE_EQ(clock.at(160), 25);
}

TEST(Priority, TiesGoToTheEarlierSubmission) {
  const RankedJob first{1, 3, 7}, second{1, 4, 2}, higher{2, 9, 1};
  EXPECT_TRUE(RankedJob::higher(first, second));
  EXPECT_FALSE(RankedJob::higher(second, first));
  EXPECT_TRUE(RankedJob::higher(higher, first));
  EXPECT_FALSE(RankedJob::higher(first, first));
  const RankedJob infinite{kNever, 5, 0}, also{kNever, 6, 1};
  EXPECT_TRUE(RankedJob::higher(infinite, also));
}

}  // namespace
}  // namespace dfrs
