// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/average_stretch.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/oracle/random_case.h"
#include "tests/oracle/yields.h"
#include "tests/policy/yield/stretch_problem.h"

namespace dfrs {
namespace {

// One full node of two or three jobs: the sum of estimates against a fine grid of the yields.
TEST(AverageStretch, IsNoWorseThanAnyGridPoint) {
  int solved = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(1200); ++seed) {
    oracle::Dice dice(seed);
    const oracle::SnapshotCase random(dice, {.max_nodes = 2, .max_jobs = 3, .max_tasks = 2, .waiting = false});
    StretchProblem problem(random);
    if (problem.jobs.empty() || problem.jobs.size() > 3) continue;
    AverageStretch().solve(problem.contention, problem.jobs, 0.01, problem.limited);
    ASSERT_TRUE(oracle::yields_fit(problem.world, problem.yields(), 1e-9)) << "seed " << seed;
    double sum = 0;
    for (std::size_t k = 0; k < problem.jobs.size(); ++k) sum += problem.jobs[k].at(problem.limited[k]);

    // No job is below the best common level, as the function promises.
    const std::vector<double> level = oracle::max_stretch_yields(problem.world, kRest);
    double common = 1e300;
    for (std::size_t k = 0; k < problem.jobs.size(); ++k) {
      const StretchEstimate& job = problem.jobs[k];
      common = std::min(common, (job.progress + level[problem.contention.jobs()[k].slot] * kRest) / job.flow);
    }
    constexpr int kSteps = 60;
    std::vector<int> at(problem.jobs.size(), 1);
    double best = 1e300;
    for (;;) {
      bool fits = true;
      for (const CpuContention::Node& node : problem.contention.nodes()) {
        double used = 0;
        for (const CpuContention::User& user : problem.contention.users(node))
          used += user.need * at[user.job] / kSteps;
        fits = fits && used <= node.capacity;
      }
      double value = 0;
      for (std::size_t k = 0; k < at.size(); ++k) {
        const double stretch = problem.jobs[k].at(static_cast<double>(at[k]) / kSteps);
        value += stretch;
        // A job that is above the level only because of its floor of 0.01 does not count against the point.
        fits = fits && (1 / stretch >= common || at[k] == kSteps);
      }
      if (fits) best = std::min(best, value);
      std::size_t k = 0;
      while (k < at.size() && ++at[k] > kSteps) at[k++] = 1;
      if (k == at.size()) break;
    }
    ASSERT_LE(sum, best * (1 + 1e-5)) << "seed " << seed;
    solved += best < 1e300 ? 1 : 0;
  }
  EXPECT_GT(solved, 30);
}

// The least yields may fill a node up to rounding; there must be an answer all the same.
TEST(AverageStretch, IsAsGoodAsLinearProgramsFind) {
  int between = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(1500); ++seed) {
    oracle::Dice dice(seed);
    const oracle::SnapshotCase random(dice, {.max_nodes = dice.between(1, 12),
                                             .max_jobs = dice.between(2, 25),
                                             .max_tasks = dice.between(1, 10),
                                             .general = dice.chance(30),
                                             .waiting = false});
    StretchProblem problem(random);
    if (problem.jobs.empty()) continue;
    AverageStretch average;
    average.solve(problem.contention, problem.jobs, 0.01, problem.limited);
    ASSERT_TRUE(oracle::yields_fit(problem.world, problem.yields(), 1e-9)) << "seed " << seed;
    const double sum = oracle::stretch_sum(problem.world, problem.yields(), kRest);
    const double best = oracle::least_stretch_sum(problem.world, kRest);
    ASSERT_NEAR(sum, best, 4e-6 * best) << "seed " << seed;
    ASSERT_LE(average.gap(), 2e-6 * sum) << "seed " << seed;
    for (const double y : problem.limited) between += y > 0.02 && y < 0.98 ? 1 : 0;
  }
  EXPECT_GT(between, 1000);
}

// Up to 60 tasks a job on up to hundreds of nodes, so that most jobs depend on each other.
TEST(AverageStretch, SolvesLargeGroups) {
  std::size_t nodes = 0;
  std::ptrdiff_t between = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    oracle::Dice dice(seed);
    const oracle::SnapshotCase random(dice, {.max_nodes = 400, .max_jobs = 1500, .max_tasks = 60, .waiting = false});
    StretchProblem problem(random);
    AverageStretch average;
    average.solve(problem.contention, problem.jobs, 0.01, problem.limited);
    ASSERT_TRUE(oracle::yields_fit(problem.world, problem.yields(), 1e-9)) << "seed " << seed;
    EXPECT_LE(average.gap(), 2e-6 * oracle::stretch_sum(problem.world, problem.yields(), kRest)) << "seed " << seed;
    nodes = std::max(nodes, problem.contention.nodes().size());
    between +=
        std::count_if(problem.limited.begin(), problem.limited.end(), [](double y) { return y > 0.02 && y < 0.98; });
  }
  EXPECT_GT(nodes, 100U);
  EXPECT_GT(between, 1000);
}

}  // namespace
}  // namespace dfrs
