// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/oracle/linear_program.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "tests/oracle/dice.h"

namespace dfrs::oracle {
namespace {

constexpr double kTolerance = 1e-6;

void column(LinearProgram& lp, double cost, double lower, double upper) {
  lp.cost.push_back(cost), lp.lower.push_back(lower), lp.upper.push_back(upper);
}
void row(LinearProgram& lp, const std::vector<double>& coefficients, double bound) {
  for (std::size_t c = 0; c < coefficients.size(); ++c) {
    if (coefficients[c] == 0) continue;
    lp.column.push_back(c), lp.value.push_back(coefficients[c]);
  }
  lp.end_row(bound);
}

// max x + 2 y, x + y <= 4, y <= 3 by a row, 0 <= x, y <= 10: (1, 3).
TEST(LinearProgram, ByHand) {
  LinearProgram lp;
  lp.clear();
  column(lp, 1, 0, 10);
  column(lp, 2, 0, 10);
  row(lp, {1, 1}, 4);
  row(lp, {0, 1}, 3);
  std::vector<double> x(2);
  ASSERT_TRUE(maximize(lp, x));
  EXPECT_NEAR(x[0], 1, kTolerance);
  EXPECT_NEAR(x[1], 3, kTolerance);
}

TEST(LinearProgram, FixedColumnsAndNone) {
  LinearProgram lp;
  lp.clear();
  EXPECT_TRUE(maximize(lp, {}));
  column(lp, 1, 0.5, 0.5);
  std::vector<double> x(1);
  ASSERT_TRUE(maximize(lp, x));
  EXPECT_EQ(x[0], 0.5);
}

TEST(LinearProgram, InfeasibleIsFalse) {
  LinearProgram lp;
  lp.clear();
  column(lp, 1, 1, 2);
  row(lp, {1}, 0.5);
  std::vector<double> x(1);
  EXPECT_FALSE(maximize(lp, x));
}

// The best vertex of a program of two or three columns: every choice of as many tight constraints, by Cramer's rule.
std::optional<double> best_vertex(const LinearProgram& lp) {
  const std::size_t n = lp.columns();
  std::vector<std::vector<double>> a;
  std::vector<double> b;
  for (std::size_t r = 0; r < lp.rows(); ++r) {
    std::vector<double> dense(n, 0.0);
    for (std::size_t e = lp.row_start[r]; e < lp.row_start[r + 1]; ++e) dense[lp.column[e]] += lp.value[e];
    a.push_back(dense), b.push_back(lp.bound[r]);
  }
  for (std::size_t c = 0; c < n; ++c) {
    std::vector<double> unit(n, 0.0);
    unit[c] = 1;
    a.push_back(unit), b.push_back(lp.upper[c]);
    unit[c] = -1;
    a.push_back(unit), b.push_back(-lp.lower[c]);
  }
  std::optional<double> best;
  std::vector<std::size_t> chosen(n);
  const auto solve = [&] {
    std::vector<std::vector<double>> m;  // Gauss
    for (std::size_t k : chosen) {
      m.push_back(a[k]);
      m.back().push_back(b[k]);
    }
    for (std::size_t p = 0; p < n; ++p) {
      std::size_t pivot = p;
      for (std::size_t r = p; r < n; ++r) pivot = std::abs(m[r][p]) > std::abs(m[pivot][p]) ? r : pivot;
      if (std::abs(m[pivot][p]) < 1e-9) return;
      std::swap(m[p], m[pivot]);
      for (std::size_t r = 0; r < n; ++r) {
        if (r == p) continue;
        const double factor = m[r][p] / m[p][p];
        for (std::size_t c = p; c <= n; ++c) m[r][c] -= factor * m[p][c];
      }
    }
    double value = 0;
    std::vector<double> x(n);
    for (std::size_t c = 0; c < n; ++c) value += lp.cost[c] * (x[c] = m[c][n] / m[c][c]);
    for (std::size_t k = 0; k < a.size(); ++k) {
      double sum = 0;
      for (std::size_t c = 0; c < n; ++c) sum += a[k][c] * x[c];
      if (sum > b[k] + 1e-7) return;
    }
    if (!best || value > *best) best = value;
  };
  const auto choose = [&](auto&& self, std::size_t at, std::size_t from) -> void {
    if (at == n) return solve();
    for (std::size_t k = from; k < a.size(); ++k) {
      chosen[at] = k;
      self(self, at + 1, k + 1);
    }
  };
  choose(choose, 0, 0);
  return best;
}

TEST(LinearProgram, FindsTheBestVertex) {
  int solved = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(500); ++seed) {
    oracle::Dice dice(seed);
    LinearProgram lp;
    lp.clear();
    const int columns = dice.between(1, 3);
    for (int c = 0; c < columns; ++c) {
      const double lower = dice.between(0, 4) / 8.0;
      column(lp, dice.between(-2, 4), lower, lower + dice.between(0, 8) / 8.0);
    }
    const int rows = dice.between(0, 4);
    for (int r = 0; r < rows; ++r) {
      std::vector<double> coefficients;
      for (int c = 0; c < columns; ++c) coefficients.push_back(dice.between(0, 4) / 4.0);
      row(lp, coefficients, dice.between(1, 12) / 8.0);
    }
    std::vector<double> x(lp.columns());
    const auto expected = best_vertex(lp);
    ASSERT_EQ(maximize(lp, x), expected.has_value()) << "seed " << seed;
    if (!expected) continue;
    double value = 0;
    for (std::size_t c = 0; c < x.size(); ++c) value += lp.cost[c] * x[c];
    ASSERT_NEAR(value, *expected, kTolerance) << "seed " << seed;
    ++solved;
  }
  EXPECT_GT(solved, 20);
}

}  // namespace
}  // namespace dfrs::oracle
