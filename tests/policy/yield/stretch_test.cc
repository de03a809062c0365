// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/stretch.h"

#include <gtest/gtest.h>

#include "tests/oracle/random_case.h"
#include "tests/oracle/yields.h"
#include "tests/policy/yield/stretch_problem.h"

namespace dfrs {
namespace {

TEST(MinMaxStretch, IsTheReferencesCommonLevel) {
  int shared = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(1500); ++seed) {
    oracle::Dice dice(seed);
    const oracle::SnapshotCase random(dice, {.general = dice.chance(50), .waiting = false});
    StretchProblem problem(random);
    min_max_stretch(problem.contention, problem.jobs, 0.01, problem.limited);
    const std::vector<double> expected = oracle::max_stretch_yields(problem.world, kRest);
    const std::vector<double> yields = problem.yields();
    for (JobSlot job : random.order) ASSERT_NEAR(yields[job], expected[job], 1e-6) << "seed " << seed << " job " << job;
    shared += problem.jobs.empty() ? 0 : 1;
  }
  EXPECT_GT(shared, 100);
}

}  // namespace
}  // namespace dfrs
