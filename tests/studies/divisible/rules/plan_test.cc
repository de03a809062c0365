// SPDX-License-Identifier: GPL-2.0-or-later
// The three ways of RR-5724, section 4.3.2, to turn an allocation into a schedule, by hand.
#include "studies/divisible/rules/plan.h"

#include <gtest/gtest.h>

namespace dfrs::divisible {
namespace {

// Site 0 of power 1, site 1 of power 2. Job 5 (task 0) has two units, both on site 0; job 9 (task 1) 0.5 on site 0 in
// the first interval, 2 and 1 on site 1.
const Platform kPlatform({{1, 1.0, {0}}, {1, 2.0, {0, 1}}}, 2);
const std::vector<Task> kTasks{{5, 0, 0, 0, 2, 1 / 2.0}, {9, 0, 0, 0, 3.5, 1 / 3.5}};
const Allocation kAllocation{{0, 2, 6}, {{0, 0, 0, 1}, {0, 0, 1, 0.5}, {0, 1, 1, 2}, {1, 0, 0, 1}, {1, 1, 1, 1}}};

void expect_pieces(const std::vector<Piece>& got, const std::vector<Piece>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t k = 0; k < got.size(); ++k) {
    EXPECT_EQ(got[k].job, expected[k].job) << k;
    EXPECT_DOUBLE_EQ(got[k].begin, expected[k].begin) << k;
    EXPECT_DOUBLE_EQ(got[k].end, expected[k].end) << k;
  }
}

TEST(DivisiblePlan, OnlineKeepsIntervalsAndRunsTerminalJobsFirst) {
  // On site 0, job 9 has its last part in the first interval and goes before job 5, although SWRPT orders them
  // differently.
  const Timetable timetable = keep_intervals(kPlatform, kTasks, kAllocation);
  ASSERT_EQ(timetable.size(), 2U);
  expect_pieces(timetable[0], {{9, 0, 0.5}, {5, 0.5, 1.5}, {5, 2, 3}});
  expect_pieces(timetable[1], {{9, 0, 1}, {9, 2, 2.5}});
}

TEST(DivisiblePlan, OnlineOrdersTerminalJobsBySwrpt) {
  // Both end in the second interval. Then 2 - 1.5 of job 5 are left: 0.5 x 2 < 3.5 x 3.5.
  const Allocation allocation{{0, 2, 6}, {{0, 0, 0, 1.5}, {1, 0, 1, 3.5}, {1, 0, 0, 0.5}}};
  const Timetable timetable = keep_intervals(kPlatform, kTasks, allocation);
  expect_pieces(timetable[0], {{5, 0, 1.5}, {5, 2, 2.5}, {9, 2.5, 6}});
}

TEST(DivisiblePlan, EdfPullsWorkForwardSiteBySite) {
  const Timetable timetable = pull_forward(kPlatform, kTasks, kAllocation, 0);
  expect_pieces(timetable[0], {{9, 0, 0.5}, {5, 0.5, 2.5}});
  expect_pieces(timetable[1], {{9, 0, 1.5}});
}

TEST(DivisiblePlan, EgdfOrdersJobsByTheirLastInterval) {
  // Both end in the second; SWRPT: 2 x 2 < 3.5 x 3.5.
  EXPECT_EQ(by_last_interval(kTasks, kAllocation), (std::vector<JobIndex>{5, 9}));
  Allocation early = kAllocation;
  early.parts.pop_back();  // job 9 now ends in the first
  EXPECT_EQ(by_last_interval(kTasks, early), (std::vector<JobIndex>{9, 5}));
}

TEST(DivisiblePlan, RunnerFollowsTheTimetableAndServesRests) {
  PlanRunner runner;
  runner.start(keep_intervals(kPlatform, kTasks, kAllocation));
  std::vector<JobView> jobs(10);
  jobs[5] = {0, 2, 1 / 2.0, 0, 2, kNever};
  jobs[9] = {0, 3.5, 1 / 3.5, 0, 3.5, kNever};
  std::vector<JobIndex> active{5, 9};
  Decision decision;
  const auto decide = [&](Seconds now) {
    decision.clear();
    runner.decide({now, &kPlatform, jobs, active, 0}, decision);
    std::vector<std::pair<JobIndex, ClusterIndex>> who;
    for (const Share& share : decision.shares) who.push_back({share.job, share.cluster});
    return who;
  };
  using Who = std::vector<std::pair<JobIndex, ClusterIndex>>;
  EXPECT_EQ(decide(0), (Who{{9, 0}, {9, 1}}));
  EXPECT_EQ(decision.wake_at, 0.5);
  EXPECT_EQ(decision.shares[1].rate, 2);
  EXPECT_EQ(decide(0.5), (Who{{5, 0}, {9, 1}}));
  EXPECT_EQ(decide(1.5), Who{});  // kept for the second interval
  EXPECT_EQ(decision.wake_at, 2);
  // Some of job 9 is left at the end of its last piece: it gets what is free.
  EXPECT_EQ(decide(2.5), (Who{{5, 0}, {9, 1}}));
  EXPECT_EQ(decision.wake_at, 3);
  EXPECT_EQ(decide(7), (Who{{5, 0}, {5, 1}}));
}

}  // namespace
}  // namespace dfrs::divisible
