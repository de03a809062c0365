// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/metrics/bootstrap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include "sim/metrics/confidence.h"
#include "sim/metrics/metrics.h"
#include "sim/workload/random.h"

namespace dfrs::sim {
namespace {

std::vector<double> normal_sample(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> values(count);
  for (double& value : values) value = 10 + 2 * random.normal();
  return values;
}

TEST(Bootstrap, OneValueHasNoInterval) {
  EXPECT_FALSE(bootstrap_mean({}));
  EXPECT_FALSE(bootstrap_mean(std::vector<double>{3}));
}

TEST(Bootstrap, EqualValuesHaveAnIntervalWithoutLength) {
  const auto interval = bootstrap_mean(std::vector<double>{0.1, 0.1, 0.1});
  ASSERT_TRUE(interval);
  EXPECT_DOUBLE_EQ(interval->low, 0.1);
  EXPECT_DOUBLE_EQ(interval->high, 0.1);
}

// Independent of the bootstrap: Student's interval is exact for a normal sample. The bootstrap's lacks the factor
// sqrt((n - 1) / n), and 2,000 resamples leave some percent of noise.
TEST(Bootstrap, IsNearStudentsIntervalForANormalSample) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<double> values = normal_sample(200, seed);
    const auto interval = bootstrap_mean(values);
    const ConfidenceInterval student = confidence_interval(values);
    ASSERT_TRUE(interval);
    EXPECT_NEAR(interval->low, student.mean - student.half_width, 0.15 * student.half_width) << seed;
    EXPECT_NEAR(interval->high, student.mean + student.half_width, 0.15 * student.half_width) << seed;
  }
}

// The share of 95 % intervals that cover the true mean. 500 trials have a standard deviation of 1 %; with 40 values the
// bootstrap is known to cover a little less than it should, with skewed values more so.
TEST(Bootstrap, CoversTheMean) {
  Random random(7);
  int normal = 0;
  int exponential = 0;
  constexpr int kTrials = 500;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<std::vector<double>> series(2, std::vector<double>(40));
    for (double& value : series[0]) value = random.normal();
    for (double& value : series[1]) value = -std::log(1 - random.uniform());
    const auto intervals = bootstrap_means(series);
    normal += intervals[0]->low <= 0 && intervals[0]->high >= 0 ? 1 : 0;
    exponential += intervals[1]->low <= 1 && intervals[1]->high >= 1 ? 1 : 0;
  }
  EXPECT_GE(normal, kTrials * 91 / 100);
  EXPECT_LE(normal, kTrials * 98 / 100);
  EXPECT_GE(exponential, kTrials * 89 / 100);
  EXPECT_LE(exponential, kTrials * 98 / 100);
}

TEST(Bootstrap, FollowsASkewedDistribution) {
  std::vector<double> values(30, 1.0);
  values[3] = 100;
  values[20] = 40;
  const double mean = summarize(values).mean;
  const auto interval = bootstrap_mean(values);
  ASSERT_TRUE(interval);
  EXPECT_GE(interval->low, 1);
  EXPECT_GT(interval->high - mean, 1.3 * (mean - interval->low));
}

TEST(Bootstrap, ScalesAndShiftsWithTheValues) {
  const std::vector<double> values = normal_sample(25, 3);
  std::vector<double> moved = values;
  for (double& value : moved) value = 4 * value + 100;
  std::vector<double> mirrored = values;
  for (double& value : mirrored) value = -value;
  const auto interval = *bootstrap_mean(values);
  EXPECT_NEAR(bootstrap_mean(moved)->low, 4 * interval.low + 100, 1e-9);
  EXPECT_NEAR(bootstrap_mean(moved)->high, 4 * interval.high + 100, 1e-9);
  EXPECT_NEAR(bootstrap_mean(mirrored)->low, -interval.high, 1e-9);
  EXPECT_NEAR(bootstrap_mean(mirrored)->high, -interval.low, 1e-9);
}

TEST(Bootstrap, DoesNotDependOnOtherSeries) {
  const std::vector<std::vector<double>> series{normal_sample(12, 1), normal_sample(30, 2), normal_sample(12, 3), {5}};
  const auto together = bootstrap_means(series);
  for (std::size_t k = 0; k < 3; ++k) {
    const auto alone = bootstrap_mean(series[k]);
    EXPECT_EQ(together[k]->low, alone->low);
    EXPECT_EQ(together[k]->high, alone->high);
  }
  EXPECT_FALSE(together[3]);
}

// Two algorithms that differ by little on instances that differ by much: only the paired interval shows it.
TEST(Bootstrap, PairedDifferencesShowWhatSeparateIntervalsHide) {
  Random random(11);
  std::vector<std::vector<double>> series(3);
  for (int k = 0; k < 50; ++k) {
    const double instance = 100 * random.uniform();
    series[0].push_back(instance);
    series[1].push_back(instance + 1 + 0.1 * random.normal());
    series[2].push_back(series[1].back() - series[0].back());
  }
  const auto intervals = bootstrap_means(series);
  EXPECT_GT(intervals[0]->high, intervals[1]->low);  // they overlap
  EXPECT_GT(intervals[2]->low, 0.9);
  EXPECT_LT(intervals[2]->high, 1.1);
}

// Of two values, a quarter of the draws has the first twice, a quarter the second.
TEST(Bootstrap, ResamplesAreDrawnWithRepetition) {
  std::size_t draws = 0;
  std::array<std::size_t, 3> sums{};
  for_each_resample(2, [&](std::span<const std::uint32_t> places) {
    ASSERT_EQ(places.size(), 2u);
    ++draws;
    ++sums.at(places[0] + places[1]);
  });
  EXPECT_EQ(draws, kBootstrapResamples);
  EXPECT_NEAR(static_cast<double>(sums[0]), 500, 80);
  EXPECT_NEAR(static_cast<double>(sums[1]), 1000, 100);
  EXPECT_NEAR(static_cast<double>(sums[2]), 500, 80);
}

TEST(Bootstrap, PercentilesLeaveOutATwentiethInAll) {
  std::vector<double> drawn;
  for (int k = 1000; k >= 0; --k) drawn.push_back(k);
  const Interval interval = percentile_interval(drawn);
  EXPECT_NEAR(interval.low, 25, 1e-9);
  EXPECT_NEAR(interval.high, 975, 1e-9);
}

}  // namespace
}  // namespace dfrs::sim
