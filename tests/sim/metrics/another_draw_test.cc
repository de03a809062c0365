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
double lognormal(Random& random) { return std::exp(1.5 * random.normal()); }
// P(X > x) = x^-3: a variance, but no fourth moment.
double pareto(Random& random) { return std::pow(1 - random.uniform(), -1.0 / 3); }
// No variance at all.
double heavy_pareto(Random& random) { return std::pow(1 - random.uniform(), -1 / 1.5); }

struct Misses {
  double below = 0, above = 0;  // shares of the draws
};
struct Coverage {
  Misses mean, deviation, maximum;
};

// How often the figures of a second draw of 200 are outside the intervals of a first one.
Coverage coverage(const Draw& draw) {
  constexpr int kTrials = 300;
  Random random(11);
  Coverage share;
  const auto count = [](Misses& misses, const Interval& interval, double theirs) {
    if (theirs < interval.low) misses.below += 1.0 / kTrials;
    if (theirs > interval.high) misses.above += 1.0 / kTrials;
  };
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> first(200), second(200);
    for (double& value : first) value = draw(random);
    for (double& value : second) value = draw(random);
    const std::optional<AnotherDraw> ours = another_draw(first, first.size());
    const Summary theirs = summarize(second);
    count(share.mean, ours->mean, theirs.mean);
    count(share.deviation, ours->deviation, theirs.stddev);
    count(share.maximum, ours->maximum, theirs.max);
  }
  return share;
}

// Each end is missed by 2.5 of 100; light tails are shorter than a Pareto distribution's.
TEST(AnotherDraw, MissesFewDrawsWhateverTheTail) {
  for (const Draw& draw : {Draw(normal), Draw(lognormal), Draw(pareto), Draw(heavy_pareto)}) {
    const Coverage share = coverage(draw);
    EXPECT_LE(share.mean.below, 0.055);
    EXPECT_LE(share.mean.above, 0.055);
    EXPECT_LE(share.deviation.below, 0.055);
    EXPECT_LE(share.deviation.above, 0.055);
    EXPECT_LE(share.maximum.below, 0.04);
    EXPECT_LE(share.maximum.above, 0.055);
    // Nor are intervals longer than they must be.
    EXPECT_GE(share.mean.below + share.mean.above, 0.01);
    EXPECT_GE(share.deviation.below + share.deviation.above, 0.01);
  }
}

TEST(AnotherDraw, IsTheSameEveryTime) {
  Random random(2);
  std::vector<double> values(50);
  for (double& value : values) value = pareto(random);
  const auto first = another_draw(values, 50);
  const auto second = another_draw(values, 50);
  EXPECT_EQ(first->deviation.low, second->deviation.low);
  EXPECT_EQ(first->maximum.high, second->maximum.high);
  // It scales with its values.
  for (double& value : values) value *= 8;
  const auto scaled = another_draw(values, 50);
  EXPECT_NEAR(scaled->deviation.high, 8 * first->deviation.high, 1e-9 * scaled->deviation.high);
  EXPECT_NEAR(scaled->maximum.high, 8 * first->maximum.high, 1e-9 * scaled->maximum.high);
}

TEST(AnotherDraw, MaximumReachesDownToTheSixthLargestAtLeast) {
  std::vector<double> values(100);
  std::iota(values.begin(), values.end(), 1.0);
  const auto another = another_draw(values, values.size());
  ASSERT_TRUE(another);
  EXPECT_LE(another->maximum.low, 95);
  EXPECT_GE(another->maximum.high, 100);
}

// Of a Pareto tail, the end can be found by itself: with G and H from gamma distributions of k and k + 1, the largest
// of the next draw is below x times the tail's begin with the mean probability of (1 + x^(-G / k / gamma))^-(k + 1).
TEST(AnotherDraw, MaximumIsThatOfAParetoDistribution) {
  // The largest ten of a hundred at e times the eleventh: gamma is 1.
  std::vector<double> values(100, 1.0);
  for (std::size_t k = 0; k < 10; ++k) values[7 * k] = std::exp(1.0);
  const double x = another_draw(values, 100)->maximum.high;
  double probability = 0;
  double weight = 0;
  for (double g = 0.01; g < 40; g += 0.01) {
    const double density = std::exp(9 * std::log(g) - g);
    weight += density;
    probability += density * std::pow(1 + std::pow(x, -g / 10), -11);
  }
  EXPECT_NEAR(probability / weight, 0.975, 0.005);
}

// Each trace gives two values, the second ten times the first, so a drawn one does.
TEST(AnotherDraw, ValuesOfATraceStayTogether) {
  Random random(4);
  std::vector<double> values(400);
  for (std::size_t k = 0; k < 200; ++k) values[200 + k] = 10 * (values[k] = 5 + random.normal());
  const auto together = another_draw(values, 200);
  ASSERT_TRUE(together);
  const double ours = summarize(values).stddev;
  EXPECT_LT(together->deviation.low, ours);
  EXPECT_GT(together->deviation.high, ours);
  // Their deviation is mostly that between the two groups of values.
  EXPECT_GT(together->deviation.low, 0.9 * ours);
  EXPECT_LT(together->deviation.high, 1.1 * ours);
}

TEST(AnotherDraw, NeedsATail) {
  EXPECT_FALSE(another_draw({}, 0));
  EXPECT_FALSE(another_draw(std::vector<double>(10, 1.0), 10));
  EXPECT_FALSE(another_draw(std::vector<double>(30, 1.0), 30)) << "all are equal";
  std::vector<double> values(30, 0.0);
  for (std::size_t k = 0; k < 10; ++k) values[k] = 1;
  EXPECT_FALSE(another_draw(values, 30)) << "most are 0";
  values[10] = 1;
  EXPECT_TRUE(another_draw(values, 30));
}

}  // namespace
}  // namespace dfrs::sim
