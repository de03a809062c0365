// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/max_min.h"

#include <gtest/gtest.h>

#include "tests/oracle/random_case.h"
#include "tests/oracle/yields.h"
#include "tests/policy/yield/solve.h"

namespace dfrs {
namespace {

constexpr double kTolerance = 1e-9;

std::vector<double> solve(const ClusterView& view) { return yields_by(MaxMinYield(), view); }

class MaxMinCases : public testing::TestWithParam<bool> {};

TEST_P(MaxMinCases, IsTheReferencesProgressiveFilling) {
  int shared = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(8000); ++seed) {
    oracle::Dice dice(seed);
    const oracle::SnapshotCase random(dice, {.max_jobs = 12, .general = GetParam(), .waiting = false});
    const oracle::World world = random.world();
    const std::vector<double> expected = oracle::max_min_yields(world);
    const std::vector<double> yields = solve(random.view());
    for (JobSlot job : random.order) {
      ASSERT_NEAR(yields[job], expected[job], kTolerance) << "seed " << seed << " job " << job;
      shared += yields[job] > 0 && yields[job] < 1 ? 1 : 0;
    }
    ASSERT_TRUE(oracle::yields_fit(world, yields, kTolerance)) << "seed " << seed;
  }
  EXPECT_GT(shared, 1000);
}

// The definition of max-min: the lowest yield is as high as possible, and no job can have more except at the cost of
// one that has no more than itself (each job below 1 has a full node on which its yield is among the highest).
TEST_P(MaxMinCases, EveryLimitedJobHasABottleneck) {
  for (std::uint64_t seed = 1; seed <= oracle::cases(4000); ++seed) {
    oracle::Dice dice(seed);
    const oracle::SnapshotCase random(dice, {.max_jobs = 12, .general = GetParam(), .waiting = false});
    const oracle::World world = random.world();
    const std::vector<double> yields = solve(random.view());
    double lowest = 1;
    for (JobSlot job : world.order) {
      if (!world.jobs[job].placed()) continue;
      lowest = std::min(lowest, yields[job]);
      if (yields[job] >= 1) continue;
      bool bottleneck = false;
      for (NodeIndex n : world.jobs[job].nodes) {
        double used = 0, highest = 0;
        for (JobSlot other : world.order) {
          const int tasks = world.tasks_on(other, n);
          used += world.jobs[other].cpu_need * tasks * yields[other];
          if (tasks > 0) highest = std::max(highest, yields[other]);
        }
        bottleneck = bottleneck ||
                     (used >= world.nodes[n].spec.cpu * (1 - kTolerance) && yields[job] >= highest * (1 - kTolerance));
      }
      ASSERT_TRUE(bottleneck) << "seed " << seed << " job " << job;
    }
    ASSERT_NEAR(lowest, oracle::common_yield(world), kTolerance) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Platforms, MaxMinCases, testing::Bool(),
                         [](const auto& tested) { return tested.param ? "General" : "EqualNodes"; });

// Node 0 holds a and b, node 1 holds b, c and d (needs 1): node 1 gives a third each, node 0 leaves a two thirds.
TEST(MaxMin, ByHand) {
  const std::vector<NodeView> nodes(2, {{1, {100}}, true});
  const std::vector<std::vector<NodeIndex>> placements{{0}, {0, 1}, {1}, {1}};
  std::vector<JobView> jobs(4);
  for (std::size_t k = 0; k < 4; ++k) {
    jobs[k].state = JobState::running;
    jobs[k].tasks = static_cast<std::uint32_t>(placements[k].size());
    jobs[k].nodes = placements[k];
  }
  const std::vector<double> yields = solve({0, nodes, jobs, 1});
  EXPECT_NEAR(yields[0], 2.0 / 3, kTolerance);
  EXPECT_NEAR(yields[1], 1.0 / 3, kTolerance);
  EXPECT_NEAR(yields[2], 1.0 / 3, kTolerance);
  EXPECT_NEAR(yields[3], 1.0 / 3, kTolerance);
}

}  // namespace
}  // namespace dfrs
