// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/average.h"

#include <gtest/gtest.h>

#include "sim/glpk_solver.h"
#include "tests/oracle/random_case.h"
#include "tests/oracle/yields.h"

namespace dfrs {
namespace {

std::vector<double> solve(const ClusterView& view) {
  ClusterState state;
  state.resync(view);
  Sharing sharing;
  sharing.build(state, view);
  std::vector<double> limited(sharing.jobs().size());
  EXPECT_TRUE(AverageYield(nullptr).solve(sharing, limited));  // without a solver to fall back on
  std::vector<double> yields(view.jobs.size(), 0.0);
  for (JobSlot job : sharing.running()) yields[job] = 1;
  for (std::size_t k = 0; k < limited.size(); ++k) yields[sharing.jobs()[k].slot] = limited[k];
  return yields;
}

// Against the whole program, all nodes and jobs written out, solved by the other simplex method.
TEST(AverageYield, IsTheBestSumThatLeavesNobodyBelowTheMinimum) {
  int shared = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(1500); ++seed) {
    oracle::Dice dice(seed);
    const oracle::SnapshotCase random(dice, {.general = dice.chance(50), .waiting = false});
    const oracle::World world = random.world();
    const std::vector<double> yields = solve(random.view());
    ASSERT_TRUE(oracle::yields_fit(world, yields, 1e-9)) << "seed " << seed;
    double sum = 0;
    for (JobSlot job : random.order) {
      if (!world.jobs[job].placed()) continue;
      sum += yields[job];
      ASSERT_GE(yields[job], oracle::common_yield(world) - 1e-9) << "seed " << seed;
    }
    const double best = oracle::best_yield_sum(world);
    ASSERT_NEAR(sum, best, 1e-6 * (1 + best)) << "seed " << seed;
    shared += oracle::common_yield(world) < 1 ? 1 : 0;
  }
  EXPECT_GT(shared, 100);
}

// Node 0: jobs a and b (one task each); node 1: b's second task and c. Needs 1: the minimum is 1/2 for all.
// With a of need 1/2: loads 1.5 and 2, so the minimum is 1/2; a may rise to 1 while b stays at 1/2.
TEST(AverageYield, ByHand) {
  const std::vector<NodeView> nodes(2, {{1, {100}}, true});
  const std::vector<std::vector<NodeIndex>> placements{{0}, {0, 1}, {1}};
  std::vector<JobView> jobs(3);
  for (std::size_t k = 0; k < 3; ++k) {
    jobs[k].state = JobState::running;
    jobs[k].tasks = static_cast<std::uint32_t>(placements[k].size());
    jobs[k].nodes = placements[k];
  }
  jobs[0].cpu_need = 0.5;
  const std::vector<double> yields = solve({0, nodes, jobs, 1});
  EXPECT_NEAR(yields[0], 1, 1e-9);
  EXPECT_NEAR(yields[1], 0.5, 1e-9);
  EXPECT_NEAR(yields[2], 0.5, 1e-9);
}

}  // namespace
}  // namespace dfrs
