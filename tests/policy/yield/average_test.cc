// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/average.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "tests/oracle/linear_program.h"
#include "tests/oracle/random_case.h"
#include "tests/oracle/yields.h"
#include "tests/policy/yield/solve.h"

namespace dfrs {
namespace {

std::vector<double> solve(const ClusterView& view) { return yields_by(AverageYield(), view); }

// Compares with the complete linear program of all nodes and jobs, solved by GLPK.
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

// A mapping of jobs that all run, and its yields by our method and by GLPK.
class Mapping {
 public:
  Mapping(std::size_t nodes, std::vector<std::vector<NodeIndex>> placements, const std::vector<double>& needs)
      : nodes_(nodes, {{1, {100}}, true}), placements_(std::move(placements)), jobs_(placements_.size()) {
    for (std::size_t k = 0; k < jobs_.size(); ++k) {
      std::sort(placements_[k].begin(), placements_[k].end());
      jobs_[k].state = JobState::running;
      jobs_[k].tasks = static_cast<std::uint32_t>(placements_[k].size());
      jobs_[k].nodes = placements_[k];
      jobs_[k].cpu_need = needs[k];
    }
    const ClusterView view{0, nodes_, jobs_, 1};
    ClusterState state;
    state.resync(view);
    contention_.build(state, view);
  }
  const CpuContention& contention() const { return contention_; }
  std::vector<double> ours(const SimplexLimits& limits = {}) const {
    std::vector<double> yields(contention_.jobs().size());
    AverageYield(limits).solve(contention_, yields);
    return yields;
  }
  std::vector<double> by_glpk() const {
    oracle::LinearProgram program;
    program.clear();
    const double minimum = 1 / contention_.max_load();
    program.cost.assign(contention_.jobs().size(), 1.0);
    program.lower.assign(contention_.jobs().size(), minimum);
    program.upper.assign(contention_.jobs().size(), 1.0);
    for (const CpuContention::Node& node : contention_.nodes()) {
      for (const CpuContention::User& user : contention_.users(node)) {
        program.column.push_back(user.job);
        program.value.push_back(user.need);
      }
      program.end_row(node.capacity);
    }
    std::vector<double> yields(contention_.jobs().size());
    EXPECT_TRUE(oracle::maximize(program, yields));
    return yields;
  }

 private:
  std::vector<NodeView> nodes_;
  std::vector<std::vector<NodeIndex>> placements_;
  std::vector<JobView> jobs_;
  CpuContention contention_;
};

int between_bounds(const CpuContention& contention, std::span<const double> yields) {
  const double minimum = 1 / contention.max_load();
  return static_cast<int>(
      std::count_if(yields.begin(), yields.end(), [&](double y) { return y > minimum + 1e-9 && y < 1 - 1e-9; }));
}

// Checks that the yields are a solution of the program. Returns their sum.
double expect_solution(const CpuContention& contention, std::span<const double> yields) {
  const double minimum = 1 / contention.max_load();
  for (const double yield : yields) {
    EXPECT_GE(yield, minimum - 1e-9);
    EXPECT_LE(yield, 1);
  }
  for (const CpuContention::Node& node : contention.nodes()) {
    double used = 0;
    for (const CpuContention::User& user : contention.users(node)) used += user.need * yields[user.job];
    EXPECT_LE(used, node.capacity * (1 + 1e-9));
  }
  return std::accumulate(yields.begin(), yields.end(), 0.0);
}

// Checks that the yields are as good as GLPK's, whatever the limits. Returns how many are between the bounds, which is
// what makes the program hard.
int expect_optimal(const Mapping& mapping, double tolerance = 1e-6) {
  const std::vector<double> best = mapping.by_glpk();
  const double best_sum = std::accumulate(best.begin(), best.end(), 0.0);
  const std::vector<double> yields = mapping.ours();
  EXPECT_NEAR(expect_solution(mapping.contention(), yields), best_sum, tolerance * best_sum);
  EXPECT_EQ(mapping.ours(), yields) << "the same every time";

  SimplexLimits first_of_all, lowest_index, fresh_inverses;
  first_of_all.few_standstills = lowest_index.few_standstills = lowest_index.many_standstills = -1;
  lowest_index.steps_per_member = 1000;
  fresh_inverses.inverse_lasts = 1;
  for (const SimplexLimits& limits : {first_of_all, lowest_index, fresh_inverses}) {
    EXPECT_NEAR(expect_solution(mapping.contention(), mapping.ours(limits)), best_sum, tolerance * best_sum)
        << limits.few_standstills << " " << limits.many_standstills << " " << limits.inverse_lasts;
  }
  return between_bounds(mapping.contention(), yields);
}

// Jobs on neighbouring nodes of a ring: one group of all nodes, with about as many jobs between the bounds as there are
// nodes. All needs differ, so the optimum is unique.
TEST(AverageYield, ALargeRingIsOneGroup) {
  constexpr std::uint32_t kNodes = 400;
  oracle::Dice dice(1);
  std::vector<std::vector<NodeIndex>> placements;
  std::vector<double> needs;
  for (std::uint32_t n = 0; n < kNodes; ++n) {
    placements.push_back({n, (n + 1) % kNodes});
    needs.push_back(0.6 + 0.4 * dice.uniform());
  }
  for (int k = 0; k < 4; ++k) {  // these set the minimum to 1/4
    placements.push_back({kNodes});
    needs.push_back(1);
  }
  const Mapping mapping(kNodes + 1, placements, needs);
  EXPECT_GT(expect_optimal(mapping), 256);
  const std::vector<double> ours = mapping.ours(), best = mapping.by_glpk();
  for (std::size_t k = 0; k < ours.size(); ++k) ASSERT_NEAR(ours[k], best[k], 1e-6) << k;
}

// A few hundred jobs of several tasks that are all tied together, with few different needs: almost every step is
// degenerate.
TEST(AverageYield, HundredsOfTiedJobs) {
  int between = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(12); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    oracle::Dice dice(seed);
    const auto nodes = static_cast<std::uint32_t>(dice.between(80, 320));
    const bool ties = seed % 3 != 0;
    const int tasks = dice.between(2, 6);
    const bool in_rows = dice.chance(50);
    std::vector<std::vector<NodeIndex>> placements;
    std::vector<double> needs;
    for (int k = 0; k < 300; ++k) {
      const std::uint32_t first = dice.below(nodes);
      std::vector<NodeIndex>& at = placements.emplace_back();
      for (int t = 0; t < tasks; ++t) {
        at.push_back(in_rows ? (first + static_cast<std::uint32_t>(t)) % nodes : dice.below(nodes));
      }
      needs.push_back(ties ? dice.pick<double>({0.25, 0.5}) : 0.05 + 0.95 * dice.uniform());
    }
    for (int k = 0; k < 40; ++k) {  // these keep the minimum low, so that all others have much to gain
      placements.push_back({nodes});
      needs.push_back(1);
    }
    between += expect_optimal(Mapping(nodes + 1, placements, needs));
  }
  EXPECT_GT(between, 100);
}

// Equal parallel jobs on the same nodes: any division is optimal, and every pivot is tied.
TEST(AverageYield, EqualJobsInAGrid) {
  constexpr std::uint32_t kSide = 18;
  std::vector<std::vector<NodeIndex>> placements;
  std::vector<double> needs;
  for (std::uint32_t k = 0; k < kSide; ++k) {
    for (std::uint32_t m = 0; m < kSide; ++m) {  // a job in each row and column
      placements.push_back({k, kSide + m});
      needs.push_back(0.5);
    }
  }
  for (int k = 0; k < 30; ++k) {
    placements.push_back({2 * kSide});
    needs.push_back(1);
  }
  expect_optimal(Mapping(2 * kSide + 1, placements, needs));
}

// Needs over three orders of magnitude. GLPK lets a node give 1e-7 more than it has, which is a lot for a job of 1e-3.
TEST(AverageYield, SmallNeedsBesideLargeOnes) {
  for (std::uint64_t seed = 1; seed <= oracle::cases(100); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    oracle::Dice dice(seed);
    const auto nodes = static_cast<std::uint32_t>(dice.between(2, 12));
    std::vector<std::vector<NodeIndex>> placements;
    std::vector<double> needs;
    for (int k = dice.between(4, 40); k > 0; --k) {
      std::vector<NodeIndex>& at = placements.emplace_back();
      for (int t = dice.between(1, 4); t > 0; --t) at.push_back(dice.below(nodes));
      needs.push_back(dice.chance(70) ? 0.2 + 0.8 * dice.uniform() : std::pow(10.0, -3 * dice.uniform()));
    }
    expect_optimal(Mapping(nodes, placements, needs), 1e-3);
  }
}

// At the limit of steps the last vertex is the answer: more steps give better ones.
TEST(AverageYield, WhatIsReachedWithinTheStepsIsASolution) {
  oracle::Dice dice(1);
  std::vector<std::vector<NodeIndex>> placements;
  std::vector<double> needs;
  for (int k = 0; k < 200; ++k) {
    placements.push_back({dice.below(60), dice.below(60), dice.below(60)});
    needs.push_back(0.05 + 0.95 * dice.uniform());
  }
  const Mapping mapping(60, placements, needs);
  SimplexLimits limits;
  limits.steps_per_member = 0;
  double last = 0;
  for (const std::size_t steps : {0, 1, 5, 20}) {
    limits.fewest_steps = steps;
    const double sum = expect_solution(mapping.contention(), mapping.ours(limits));
    EXPECT_GT(sum, last) << steps;
    last = sum;
  }
  const std::vector<double> all = mapping.ours();
  EXPECT_LT(last, std::accumulate(all.begin(), all.end(), 0.0) - 1e-3);
}

// Larger groups of many nodes and jobs, with equal needs (ties and degenerate steps) or with different ones.
TEST(AverageYield, IsTheBestSumOnLargeMappings) {
  int between = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(300); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    oracle::Dice dice(seed);
    const auto nodes = static_cast<std::uint32_t>(dice.between(2, 60));
    const int most_tasks = dice.between(1, 12);
    const bool ties = dice.chance(50);
    std::vector<std::vector<NodeIndex>> placements(static_cast<std::size_t>(dice.between(2, 90)));
    std::vector<double> needs;
    for (std::vector<NodeIndex>& at : placements) {
      for (int task = dice.between(1, most_tasks); task > 0; --task) at.push_back(dice.below(nodes));
      needs.push_back(ties ? dice.pick<double>({0.25, 0.5, 1}) : 0.05 + 0.95 * dice.uniform());
    }
    const Mapping mapping(nodes, placements, needs);
    if (!mapping.contention().jobs().empty()) between += expect_optimal(mapping);
  }
  EXPECT_GT(between, 500) << "jobs between the bounds, which make the program hard";
}

}  // namespace
}  // namespace dfrs
