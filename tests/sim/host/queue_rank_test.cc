// SPDX-License-Identifier: GPL-2.0-or-later
// Other orders of a batch queue, on schedules worked out by hand.
#include "policy/batch/queue_rank.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/sim/host/by_hand.h"

namespace dfrs::sim {
namespace {

using Ranked = ByHand;

// Both nodes are free at 100, when job 2 takes them. Until then one is free, for a job of up to 90 s: of those of 40,
// 30 and 85 s, submission order takes 40 and 30, shortest first 30 and 40, longest first 85 only.
TEST_F(Ranked, OrderOfThoseWhoJumpAhead) {
  nodes(2);
  job(0, 1, 1, 10, 100);
  job(1, 2, 1, 10, 50);
  job(10, 1, 1, 10, 5);  // until 15, so that the next three wait
  job(11, 1, 1, 10, 40);
  job(12, 1, 1, 10, 30);
  job(13, 1, 1, 10, 85);
  const auto starts = [&](const char* algorithm) {
    std::vector<Seconds> times;
    for (const JobRecord& record : run(algorithm).jobs) times.push_back(record.start);
    return times;
  };
  EXPECT_EQ(starts("EASY"), (std::vector<Seconds>{0, 100, 10, 15, 55, 150}));
  EXPECT_EQ(starts("EASY/backfill=SJF"), (std::vector<Seconds>{0, 100, 10, 45, 15, 150}));
  EXPECT_EQ(starts("EASY/backfill=LJF"), (std::vector<Seconds>{0, 100, 10, 150, 150, 15}));
  // Of 50 and 85 s the wide job is the shorter, and keeps the longer one off the free node from 85 on.
  EXPECT_EQ(starts("FCFS/head=SJF"), (std::vector<Seconds>{0, 100, 10, 45, 15, 150}));
}

JobView job_of(std::uint32_t tasks, Seconds submit) {
  JobView job;
  job.tasks = tasks;
  job.submit = submit;
  return job;
}

// r = 100, n = 4, s = 1000, w = 500.
TEST(QueueRank, FormulasByHand) {
  const JobView job = job_of(4, 1000);
  const auto value = [&](QueueRank rank) { return rank_value(rank, job, 100, 1500); };
  EXPECT_DOUBLE_EQ(value(QueueRank::sjf), 100);
  EXPECT_DOUBLE_EQ(value(QueueRank::ljf), -100);
  EXPECT_DOUBLE_EQ(value(QueueRank::saf), 400);
  EXPECT_DOUBLE_EQ(value(QueueRank::xf), -6);
  EXPECT_DOUBLE_EQ(value(QueueRank::f1), 2 * 4 + 870 * 3);
  EXPECT_DOUBLE_EQ(value(QueueRank::f2), 10 * 4 + 25600 * 3);
  EXPECT_DOUBLE_EQ(value(QueueRank::f3), 400 + 6.86e6 * 3);
  EXPECT_DOUBLE_EQ(value(QueueRank::f4), 100 * 2 + 5.3e5 * 3);
  EXPECT_DOUBLE_EQ(value(QueueRank::wfp3), -125.0 * 4);
  EXPECT_DOUBLE_EQ(value(QueueRank::unicef), -2.5);
}

TEST(QueueRank, IsFiniteForTheSmallestJobs) {
  const JobView job = job_of(1, 0);
  for (std::size_t k = 0; k < kQueueRankNames.size(); ++k) {
    const auto rank = static_cast<QueueRank>(k);
    EXPECT_TRUE(std::isfinite(rank_value(rank, job, 0, 0))) << kQueueRankNames[k];
    EXPECT_EQ(queue_rank_of(kQueueRankNames[k]), rank);
  }
  EXPECT_EQ(queue_rank_of("F5"), std::nullopt);
}

}  // namespace
}  // namespace dfrs::sim
