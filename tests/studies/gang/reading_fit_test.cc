// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/gang/reading_fit.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace dfrs::sim {
namespace {

TEST(ReadingFit, ByHand) {
  constexpr std::array ours{0.1, -0.2, 0.3, 0.0};
  constexpr std::array published{0.105, 0.1, 0.15, -0.05};
  const ReadingFit fit = reading_fit(ours, published);
  EXPECT_DOUBLE_EQ(fit.ours.mean, 0.05);
  // Differences: -0.005, -0.3, 0.15, 0.05.
  EXPECT_NEAR(fit.distance, std::sqrt((0.000025 + 0.09 + 0.0225 + 0.0025) / 4), 1e-12);
  EXPECT_EQ(fit.signs, 2U);
  EXPECT_EQ(fit.near, 2U);
  EXPECT_EQ(fit.agree, 1U);
  // From the means 0.05 and 0.07625: products of 0.05, -0.25, 0.25, -0.05 and 0.02875, 0.02375, 0.07375, -0.12625.
  const double product = 0.05 * 0.02875 - 0.25 * 0.02375 + 0.25 * 0.07375 + 0.05 * 0.12625;
  const double squares = 2 * (0.05 * 0.05 + 0.25 * 0.25);
  const double theirs = 0.02875 * 0.02875 + 0.02375 * 0.02375 + 0.07375 * 0.07375 + 0.12625 * 0.12625;
  EXPECT_NEAR(fit.correlation, product / std::sqrt(squares * theirs), 1e-12);
}

TEST(ReadingFit, TheTableItselfFits) {
  constexpr std::array cells{-0.04, 0.01, -0.2};
  const ReadingFit fit = reading_fit(cells, cells);
  EXPECT_EQ(fit.distance, 0);
  EXPECT_NEAR(fit.correlation, 1, 1e-12);
  EXPECT_EQ(fit.agree, 3U);
}

}  // namespace
}  // namespace dfrs::sim
