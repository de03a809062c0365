// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/stretch_level.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "policy/core/compare.h"
#include "tests/oracle/random_case.h"

namespace dfrs {
namespace {

// The plain algorithm: 64 bisections.
double by_halving(const CpuContention& contention, const CpuContention::Node& node,
                  const std::vector<StretchEstimate>& jobs, const std::vector<double>& yields, double floor,
                  double high) {
  const auto fits = [&](double s) {
    double used = 0;
    for (const CpuContention::User& user : contention.users(node)) {
      const StretchEstimate& job = jobs[user.job];
      const double open = std::clamp((job.flow * s - job.progress) / job.period, floor, 1.0);
      used += user.need * (yields[user.job] < 0 ? open : yields[user.job]);
    }
    return cpu_fits(used, node.capacity);
  };
  if (fits(high)) return high;
  double low = 0;
  for (int k = 0; k < 64; ++k) {
    const double middle = (low + high) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

// Estimates of all magnitudes; some jobs are fixed, so that nodes are full below the lowest levels, too.
TEST(StretchLevel, IsThatOfTheHalvingsToTheLastBit) {
  int zero = 0, whole = 0, between = 0, far_down = 0;
  StretchLevel levels;
  for (std::uint64_t seed = 1; seed <= oracle::cases(6000); ++seed) {
    oracle::Dice dice(seed);
    const oracle::SnapshotCase random(dice, {.max_jobs = 14, .general = dice.chance(50), .waiting = false});
    const ClusterView view = random.view();
    ClusterState state;
    state.resync(view);
    CpuContention contention;
    contention.build(state, view);
    const auto magnitude = [&](int low, int high) {
      return std::pow(10.0, dice.between(low, high)) * (1 + dice.below(1'000'000) / 999'983.0);
    };
    const double period = magnitude(0, 4);
    double full_speed = 0;
    std::vector<StretchEstimate> jobs;
    std::vector<double> yields;
    for (std::size_t k = 0; k < contention.jobs().size(); ++k) {
      const double flow = magnitude(0, dice.chance(30) ? 9 : 4);
      jobs.push_back({flow, dice.chance(20) ? 0 : flow * dice.below(1000) / 999.0, period});
      full_speed = std::max(full_speed, (jobs[k].progress + period) / flow);
      yields.push_back(dice.chance(25) ? dice.below(1000) / 999.0 : -1);
    }
    const double floor = dice.chance(50) ? 0.01 : 0;
    const double guess = dice.chance(50) ? 0 : full_speed * dice.below(1000) / 700.0;
    for (const CpuContention::Node& node : contention.nodes()) {
      const double expected = by_halving(contention, node, jobs, yields, floor, full_speed);
      ASSERT_EQ(levels.highest(contention, node, jobs, yields, floor, full_speed, guess), expected) << "seed " << seed;
      if (expected == 0) {
        ++zero;
      } else if (expected == full_speed) {
        ++whole;
      } else {
        ++between;
        far_down += expected < full_speed / 1024 ? 1 : 0;
      }
    }
  }
  // All branches were taken, unless only a few cases were run.
  if (oracle::cases(6000) < 6000) return;
  EXPECT_GT(zero, 50);
  EXPECT_GT(whole, 50);
  EXPECT_GT(between, 1000);
  EXPECT_GT(far_down, 50);
}

}  // namespace
}  // namespace dfrs
