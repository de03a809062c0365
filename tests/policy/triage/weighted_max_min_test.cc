// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/weighted_max_min.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/oracle/random_case.h"
#include "tests/oracle/triage.h"
#include "tests/oracle/yields.h"

namespace dfrs {
namespace {

constexpr double kTolerance = 1e-9;

std::vector<double> solve(const ClusterView& view, const std::vector<double>& weight_of_slot) {
  ClusterState state;
  state.resync(view);
  CpuContention contention;
  contention.build(state, view);
  std::vector<double> weights;
  for (const CpuContention::Job& job : contention.jobs()) weights.push_back(weight_of_slot[job.slot]);
  std::vector<double> limited(weights.size());
  WeightedMaxMinYield().solve(contention, weights, limited);
  std::vector<double> yields(view.jobs.size(), 0.0);
  for (JobSlot job : contention.running()) yields[job] = 1;
  for (std::size_t k = 0; k < limited.size(); ++k) yields[contention.jobs()[k].slot] = limited[k];
  return yields;
}

void compare(bool general, const std::function<double(oracle::Dice&)>& weight) {
  int shared = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(3000); ++seed) {
    oracle::Dice dice(seed);
    const oracle::SnapshotCase random(dice, {.max_jobs = 12, .general = general, .waiting = false});
    const oracle::World world = random.world();
    std::vector<double> weights(random.jobs.size());
    for (double& w : weights) w = weight(dice);
    const std::vector<double> expected = oracle::weighted_max_min_yields(world, weights);
    const std::vector<double> yields = solve(random.view(), weights);
    for (JobSlot job : random.order) {
      ASSERT_NEAR(yields[job], expected[job], kTolerance) << "seed " << seed << " job " << job;
      shared += yields[job] > 0 && yields[job] < 1 ? 1 : 0;
    }
    ASSERT_TRUE(oracle::yields_fit(world, yields, kTolerance)) << "seed " << seed;
  }
  EXPECT_GT(shared, 300);
}

TEST(WeightedMaxMin, IsTheReferencesFilling) {
  for (bool general : {false, true}) compare(general, [](oracle::Dice& dice) { return 0.25 * dice.between(1, 40); });
}

// Stretches of a million against full speed: sums that are updated by differences would lose the small ones.
TEST(WeightedMaxMin, WeightsOfAllMagnitudes) {
  compare(true, [](oracle::Dice& dice) { return std::pow(10.0, dice.between(-9, 12)); });
}

TEST(WeightedMaxMin, EqualWeightsGiveMaxMin) {
  for (std::uint64_t seed = 1; seed <= oracle::cases(2000); ++seed) {
    oracle::Dice dice(seed);
    const oracle::SnapshotCase random(dice, {.max_jobs = 12, .general = true, .waiting = false});
    const std::vector<double> expected = oracle::max_min_yields(random.world());
    const std::vector<double> yields = solve(random.view(), std::vector<double>(random.jobs.size(), 3.7));
    for (JobSlot job : random.order) ASSERT_NEAR(yields[job], expected[job], kTolerance) << "seed " << seed;
  }
}

}  // namespace
}  // namespace dfrs
