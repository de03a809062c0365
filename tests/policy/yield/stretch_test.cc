// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/stretch.h"

#include <gtest/gtest.h>

#include "sim/host/glpk_solver.h"
#include "tests/oracle/random_case.h"
#include "tests/oracle/yields.h"

namespace dfrs {
namespace {

constexpr Seconds kRest = 64;

struct Problem {
  Problem(const oracle::SnapshotCase& random) : world(random.world()) {
    const ClusterView view = random.view();
    ClusterState state;
    state.resync(view);
    contention.build(state, view);
    for (const CpuContention::Job& job : contention.jobs()) {
      const JobView& spec = view.jobs[job.slot];
      jobs.push_back({spec.flow_time(view.now) + kRest, spec.virtual_time(view.now), kRest});
    }
    limited.resize(jobs.size());
  }
  // By slot.
  std::vector<double> yields() const {
    std::vector<double> all(world.jobs.size(), 0.0);
    for (JobSlot job : contention.running()) all[job] = 1;
    for (std::size_t k = 0; k < limited.size(); ++k) all[contention.jobs()[k].slot] = limited[k];
    return all;
  }
  oracle::World world;
  CpuContention contention;
  std::vector<StretchEstimate> jobs;
  std::vector<double> limited;
};

TEST(MinMaxStretch, IsTheReferencesCommonLevel) {
  int shared = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(1500); ++seed) {
    oracle::Dice dice(seed);
    const oracle::SnapshotCase random(dice, {.general = dice.chance(50), .waiting = false});
    Problem problem(random);
    min_max_stretch(problem.contention, problem.jobs, 0.01, problem.limited);
    const std::vector<double> expected = oracle::max_stretch_yields(problem.world, kRest);
    const std::vector<double> yields = problem.yields();
    for (JobSlot job : random.order) ASSERT_NEAR(yields[job], expected[job], 1e-6) << "seed " << seed << " job " << job;
    shared += problem.jobs.empty() ? 0 : 1;
  }
  EXPECT_GT(shared, 100);
}

// One full node of two or three jobs: the sum of estimates against a fine grid of the yields.
TEST(MinAverageStretch, IsNoWorseThanAnyGridPoint) {
  sim::GlpkSolver solver;
  int solved = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(1200); ++seed) {
    oracle::Dice dice(seed);
    const oracle::SnapshotCase random(dice, {.max_nodes = 2, .max_jobs = 3, .max_tasks = 2, .waiting = false});
    Problem problem(random);
    if (problem.jobs.empty() || problem.jobs.size() > 3) continue;
    ASSERT_TRUE(min_average_stretch(problem.contention, problem.jobs, 0.01, solver, problem.limited))
        << "seed " << seed;
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

// The lower bounds may fill a node up to rounding; the solver must still find a solution.
TEST(MinAverageStretch, IsAlwaysSolved) {
  sim::GlpkSolver solver;
  for (std::uint64_t seed = 1; seed <= oracle::cases(2000); ++seed) {
    oracle::Dice dice(seed);
    const oracle::SnapshotCase random(dice, {.max_nodes = 2, .max_jobs = 4, .waiting = false});
    Problem problem(random);
    ASSERT_TRUE(min_average_stretch(problem.contention, problem.jobs, 0.01, solver, problem.limited))
        << "seed " << seed;
    const double best_level =
        oracle::stretch_sum(problem.world, oracle::max_stretch_yields(problem.world, kRest), kRest);
    ASSERT_LE(oracle::stretch_sum(problem.world, problem.yields(), kRest), best_level * (1 + 1e-5)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace dfrs
