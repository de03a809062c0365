// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/average.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "sim/host/glpk_solver.h"
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

// Jobs with tasks on these nodes and a CPU need of each task; all run.
std::vector<double> yields_of(std::size_t nodes, const std::vector<std::vector<NodeIndex>>& placements,
                              const std::vector<double>& needs) {
  const std::vector<NodeView> views(nodes, {{1, {100}}, true});
  std::vector<JobView> jobs(placements.size());
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    jobs[k].state = JobState::running;
    jobs[k].tasks = static_cast<std::uint32_t>(placements[k].size());
    jobs[k].nodes = placements[k];
    jobs[k].cpu_need = needs[k];
  }
  return solve({0, views, jobs, 1});
}

// Node 2 (jobs 0 and 1) sets the minimum to 1/2; job 0 is on node 0, too. Beyond the minimum node 0 has 1 - 1.8 / 2 =
// 0.1 and node 1 has 1 - 1.3 / 2 = 0.35. Job 2 needs least (0.5 of node 0) and rises first, by 0.2; but job 3 (0.3 of
// both) is worth more there, and takes from job 4 (1 of node 1) less than it gets: 0.1 / 0.3 = 1/3 and 0.35 - 0.1 =
// 0.25 are together more than 0.2 and 0.35.
TEST(AverageYield, WhoNeedsLeastIsNotAlwaysFirst) {
  const std::vector<double> yields = yields_of(3, {{0, 2}, {2}, {0}, {0, 1}, {1}}, {1, 1, 0.5, 0.3, 1});
  const std::vector<double> expected{0.5, 0.5, 0.5, 0.5 + 1.0 / 3, 0.75};
  for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(yields[k], expected[k], 1e-12) << k;
}

// Node 1 sets the minimum to 1/3. Any division of the third that node 0 has left is optimal.
TEST(AverageYield, TheEarlierOfEqualJobsRises) {
  const std::vector<double> yields = yields_of(2, {{0}, {0}, {1}, {1}, {1}}, {1, 1, 1, 1, 1});
  EXPECT_NEAR(yields[0], 2.0 / 3, 1e-12);
  EXPECT_EQ(yields[1], 1.0 / 3);
}

// Jobs on neighbouring nodes of a ring: a group of all nodes, with about as many jobs between the bounds as there are
// nodes. That is for the solver; without one there is no answer.
TEST(AverageYield, VeryLargeGroupsAreForTheSolver) {
  constexpr std::uint32_t kNodes = 1000;
  oracle::Dice dice(1);
  const std::vector<NodeView> nodes(kNodes + 1, {{1, {100}}, true});
  std::vector<std::vector<NodeIndex>> placements;
  for (std::uint32_t n = 0; n < kNodes; ++n)
    placements.push_back({std::min(n, (n + 1) % kNodes), std::max(n, (n + 1) % kNodes)});
  for (int k = 0; k < 4; ++k) placements.push_back({kNodes});  // sets the minimum to 1/4
  std::vector<JobView> jobs(placements.size());
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    jobs[k].state = JobState::running;
    jobs[k].tasks = static_cast<std::uint32_t>(placements[k].size());
    jobs[k].nodes = placements[k];
    jobs[k].cpu_need = k < kNodes ? 0.6 + 0.4 * dice.uniform() : 1;
  }
  ClusterState state;
  const ClusterView view{0, nodes, jobs, 1};
  state.resync(view);
  Sharing sharing;
  sharing.build(state, view);
  std::vector<double> yields(sharing.jobs().size()), best(sharing.jobs().size());
  EXPECT_FALSE(AverageYield(nullptr).solve(sharing, yields));
  sim::GlpkSolver solver;
  ASSERT_TRUE(AverageYield(&solver).solve(sharing, yields));
  LinearProgram program;
  AverageYield::build(sharing, program);
  ASSERT_TRUE(solver.maximize(program, best));
  EXPECT_NEAR(std::accumulate(yields.begin(), yields.end(), 0.0), std::accumulate(best.begin(), best.end(), 0.0), 1e-3);
}

// Larger than the cases above: groups of many nodes and jobs, with equal needs (ties and steps of no length) or with
// needs that are all different.
TEST(AverageYield, IsTheBestSumOnLargeMappings) {
  int beyond_half = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(300); ++seed) {
    oracle::Dice dice(seed);
    const auto nodes = static_cast<std::uint32_t>(dice.between(2, 60));
    const int most_tasks = dice.between(1, 12);
    const bool ties = dice.chance(50);
    const std::vector<NodeView> views(nodes, {{1, {100}}, true});
    std::vector<std::vector<NodeIndex>> placements(static_cast<std::size_t>(dice.between(2, 90)));
    std::vector<JobView> jobs(placements.size());
    for (std::size_t k = 0; k < jobs.size(); ++k) {
      for (int task = dice.between(1, most_tasks); task > 0; --task) {
        placements[k].push_back(dice.below(nodes));
      }
      std::sort(placements[k].begin(), placements[k].end());
      jobs[k].state = JobState::running;
      jobs[k].tasks = static_cast<std::uint32_t>(placements[k].size());
      jobs[k].nodes = placements[k];
      jobs[k].cpu_need = ties ? dice.pick<double>({0.25, 0.5, 1}) : 0.05 + 0.95 * dice.uniform();
    }
    const ClusterView view{0, views, jobs, 1};
    ClusterState state;
    state.resync(view);
    Sharing sharing;
    sharing.build(state, view);
    if (sharing.jobs().empty()) continue;
    LinearProgram program;
    AverageYield::build(sharing, program);
    std::vector<double> best(sharing.jobs().size()), yields(sharing.jobs().size());
    sim::GlpkSolver solver;
    ASSERT_TRUE(solver.maximize(program, best)) << "seed " << seed;
    ASSERT_TRUE(AverageYield(nullptr).solve(sharing, yields)) << "seed " << seed;
    double best_sum = 0, sum = 0;
    for (std::size_t k = 0; k < yields.size(); ++k) {
      best_sum += best[k], sum += yields[k];
      ASSERT_GE(yields[k], 1 / sharing.max_load()) << "seed " << seed;
      ASSERT_LE(yields[k], 1) << "seed " << seed;
      beyond_half += yields[k] > 1 / sharing.max_load() && yields[k] < 1 ? 1 : 0;
    }
    ASSERT_NEAR(sum, best_sum, 1e-6 * best_sum) << "seed " << seed;
    for (const Sharing::Node& node : sharing.nodes()) {
      double used = 0;
      for (const Sharing::User& user : sharing.users(node)) used += user.need * yields[user.job];
      ASSERT_LE(used, node.capacity * (1 + 1e-9)) << "seed " << seed;
    }
  }
  EXPECT_GT(beyond_half, 500) << "jobs between the bounds, which make the program hard";
}

}  // namespace
}  // namespace dfrs
