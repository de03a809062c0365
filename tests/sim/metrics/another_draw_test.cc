// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/metrics/another_draw.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "sim/metrics/metrics.h"
#include "sim/workload/random.h"

namespace dfrs::sim {
namespace {

using Draw = std::function<double(Random&)>;

double normal(Random& random) { return 10 + 2 * random.normal(); }
double pareto(Random& random) { return std::pow(1 - random.uniform(), -0.5); }  // P(X > x) = x^-2

struct Misses {
  double below = 0;
  double above = 0;  // shares of the draws
};

// How often the figure of a second draw is outside the interval of a first one.
Misses misses(const Draw& draw, std::optional<Interval> (*interval)(std::span<const double>),
              double Summary::* figure) {
  constexpr int kTrials = 2000;
  Random random(11);
  Misses share;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> first(200), second(200);
    for (double& value : first) value = draw(random);
    for (double& value : second) value = draw(random);
    const std::optional<Interval> ours = interval(first);
    const double theirs = summarize(second).*figure;
    if (theirs < ours->low) share.below += 1.0 / kTrials;
    if (theirs > ours->high) share.above += 1.0 / kTrials;
  }
  return share;
}

TEST(AnotherDraw, DeviationsOfNormalDrawsLieInTheIntervalIn95Of100Cases) {
  const Misses share = misses(normal, deviation_of_another_draw, &Summary::stddev);
  EXPECT_NEAR(share.below, 0.025, 0.012);
  EXPECT_NEAR(share.above, 0.025, 0.012);
}

TEST(AnotherDraw, DeviationIsAsInABook) {
  // 1, 2, 3, 4: the deviation is sqrt(5 / 3); fourth powers 2 (1.5^4 + 0.5^4) = 10.25, so kurtosis 4 x 10.25 / 25
  // = 1.64.
  const auto interval = deviation_of_another_draw(std::vector<double>{4, 1, 3, 2});
  ASSERT_TRUE(interval);
  const double factor = std::exp(1.959964 * std::sqrt(2 * 0.64 / 16));
  EXPECT_NEAR(interval->low, std::sqrt(5.0 / 3) / factor, 1e-9);
  EXPECT_NEAR(interval->high, std::sqrt(5.0 / 3) * factor, 1e-9);
  EXPECT_FALSE(deviation_of_another_draw(std::vector<double>{3}));
  EXPECT_FALSE(deviation_of_another_draw(std::vector<double>{3, 3, 3}));
}

TEST(AnotherDraw, MaximumReachesDownToTheSixthLargest) {
  std::vector<double> values(100);
  std::iota(values.begin(), values.end(), 1.0);
  const auto interval = maximum_of_another_draw(values);
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->low, 95);
  EXPECT_GE(interval->high, 100);
  // Of 2,000 draws, with six of one above all of the other in 1.6 % at most.
  EXPECT_LE(misses(normal, maximum_of_another_draw, &Summary::max).below, 0.025);
  EXPECT_LE(misses(pareto, maximum_of_another_draw, &Summary::max).below, 0.025);
}

TEST(AnotherDraw, MaximumReachesUpAsFarAsTheTailMakesLikely) {
  // The largest ten of a hundred at e times the eleventh: gamma is 1, and exp(-10 x^-1) = 0.975 at x = 395.
  std::vector<double> values(100, 1.0);
  for (std::size_t k = 0; k < 10; ++k) values[7 * k] = std::exp(1.0);
  EXPECT_NEAR(maximum_of_another_draw(values)->high, 10 / -std::log(0.975), 1e-9);
  // The fit's own error is left out, so that more than 2.5 % are missed; a normal tail is shorter than a Pareto's.
  const double missed = misses(pareto, maximum_of_another_draw, &Summary::max).above;
  EXPECT_GE(missed, 0.02);
  EXPECT_LE(missed, 0.08);
  EXPECT_LE(misses(normal, maximum_of_another_draw, &Summary::max).above, 0.025);
}

TEST(AnotherDraw, MaximumNeedsATail) {
  EXPECT_FALSE(maximum_of_another_draw({}));
  EXPECT_FALSE(maximum_of_another_draw(std::vector<double>(10, 1.0)));
  std::vector<double> values(30, 0.0);
  for (std::size_t k = 0; k < 10; ++k) values[k] = 1;
  EXPECT_FALSE(maximum_of_another_draw(values)) << "most are 0";
  values[10] = 1;
  EXPECT_TRUE(maximum_of_another_draw(values));
}

}  // namespace
}  // namespace dfrs::sim
