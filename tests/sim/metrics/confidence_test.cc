// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/metrics/confidence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "sim/workload/random.h"

namespace dfrs::sim {
namespace {

TEST(Confidence, StudentsTHasItsClosedForms) {
  for (const double t : {-40.0, -3.0, -1.0, -0.1, 0.0, 0.5, 1.0, 2.5, 12.0}) {
    EXPECT_NEAR(student_t_cdf(t, 1), 0.5 + std::atan(t) / std::numbers::pi, 1e-13) << t;
    EXPECT_NEAR(student_t_cdf(t, 2), 0.5 + t / (2 * std::sqrt(2 + t * t)), 1e-13) << t;
    EXPECT_NEAR(student_t_cdf(t, 1e7), std::erfc(-t / std::numbers::sqrt2) / 2, 1e-6) << t;
  }
}

// As printed in tables of t.
TEST(Confidence, QuantilesAreTheTabulatedOnes) {
  EXPECT_NEAR(student_t_quantile(0.975, 1), 12.706, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.975, 2), 4.303, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.975, 4), 2.776, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.975, 9), 2.262, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.975, 29), 2.045, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.995, 4), 4.604, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.95, 120), 1.658, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.975, 1e6), 1.960, 5e-4);
  EXPECT_EQ(student_t_quantile(0.5, 7), 0);
  EXPECT_DOUBLE_EQ(student_t_quantile(0.025, 9), -student_t_quantile(0.975, 9));
}

TEST(Confidence, IntervalByHand) {
  const ConfidenceInterval i = confidence_interval(std::vector<double>{1, 2, 3});
  EXPECT_EQ(i.count, 3U);
  EXPECT_DOUBLE_EQ(i.mean, 2);
  EXPECT_NEAR(i.half_width, 4.30265 / std::sqrt(3.0), 1e-5);
  EXPECT_NEAR(i.relative(), 4.30265 / std::sqrt(3.0) / 2, 1e-5);
  EXPECT_NEAR(confidence_interval(std::vector<double>{1, 2, 3}, 0.9).half_width, 2.91999 / std::sqrt(3.0), 1e-5);
  EXPECT_EQ(confidence_interval(std::vector<double>{5, 5}).half_width, 0);
  EXPECT_TRUE(std::isinf(confidence_interval(std::vector<double>{5}).half_width));
  EXPECT_EQ(confidence_interval({}).half_width, 0);
}

// It covers the mean as often as its level promises.
TEST(Confidence, CoversTheMean) {
  Random random(11);
  int covered = 0;
  constexpr int kIntervals = 4000;
  for (int k = 0; k < kIntervals; ++k) {
    std::vector<double> values(6);
    for (double& v : values) v = 3 + 2 * random.normal();
    const ConfidenceInterval i = confidence_interval(values, 0.9);
    if (std::abs(i.mean - 3) <= i.half_width) ++covered;
  }
  EXPECT_NEAR(covered / double{kIntervals}, 0.9, 4 * std::sqrt(0.09 / kIntervals));
}

}  // namespace
}  // namespace dfrs::sim
