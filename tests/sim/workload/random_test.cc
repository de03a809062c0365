// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace dfrs::sim {
namespace {

// The sequence from state {1, 2, 3, 4} that implementations of xoshiro256** are compared by.
TEST(Random, IsXoshiro256StarStar) {
  Random random = Random::from_state({1, 2, 3, 4});
  for (const std::uint64_t expected :
       {11520ull, 0ull, 1509978240ull, 1215971899390074240ull, 1216172134540287360ull, 607988272756665600ull,
        16172922978634559625ull, 8476171486693032832ull, 10595114339597558777ull, 2904607092377533576ull}) {
    EXPECT_EQ(random.next(), expected);
  }
}

// splitmix64 from 1234567 begins with these four.
TEST(Random, IsSeededBySplitmix64) {
  Random seeded(1234567);
  Random direct =
      Random::from_state({6457827717110365317u, 3203168211198807973u, 9817491932198370423u, 4593380528125082431u});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(seeded.next(), direct.next());
}

TEST(Random, StreamsDiffer) {
  std::vector<std::uint64_t> firsts;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    for (std::uint64_t stream = 0; stream < 30; ++stream) firsts.push_back(Random(seed, stream).next());
  }
  std::sort(firsts.begin(), firsts.end());
  EXPECT_EQ(std::adjacent_find(firsts.begin(), firsts.end()), firsts.end());
}

/// Largest distance between the sample's distribution and `cdf`, times sqrt(n): above 1.95 with probability 0.001.
double kolmogorov_smirnov(std::vector<double> sample, const std::function<double(double)>& cdf) {
  std::sort(sample.begin(), sample.end());
  const double n = static_cast<double>(sample.size());
  double distance = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double expected = cdf(sample[i]);
    distance = std::max({distance, std::abs(expected - static_cast<double>(i) / n),
                         std::abs(expected - static_cast<double>(i + 1) / n)});
  }
  return distance * std::sqrt(n);
}

std::vector<double> draw(const std::function<double()>& next) {
  std::vector<double> sample(50000);
  for (double& value : sample) value = next();
  return sample;
}

TEST(Random, UniformIsUniform) {
  Random random(1);
  const std::vector<double> sample = draw([&] { return random.uniform(); });
  EXPECT_GE(*std::min_element(sample.begin(), sample.end()), 0);
  EXPECT_LT(*std::max_element(sample.begin(), sample.end()), 1);
  EXPECT_LT(kolmogorov_smirnov(sample, [](double x) { return x; }), 1.95);
}

TEST(Random, UniformIntegerTakesEveryValueAlike) {
  Random random(2);
  std::vector<int> counts(11);
  for (int i = 0; i < 90000; ++i) ++counts[static_cast<std::size_t>(random.uniform_integer(2, 10))];
  EXPECT_EQ(counts[0] + counts[1], 0);
  // 10,000 expected of each, standard deviation 94.
  for (int value = 2; value <= 10; ++value) EXPECT_NEAR(counts[static_cast<std::size_t>(value)], 10000, 400) << value;
  EXPECT_EQ(random.uniform_integer(5, 5), 5);
}

TEST(Random, NormalIsNormal) {
  Random random(3);
  EXPECT_LT(kolmogorov_smirnov(draw([&] { return random.normal(); }),
                               [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }),
            1.95);
}

TEST(Random, GammaIsGamma) {
  for (const auto& [shape, scale] : {std::pair{1.0, 2.0}, {4.2, 0.94}, {6.355, 0.8531}, {639.1, 0.0156}}) {
    Random random(4);
    const std::vector<double> sample = draw([&, a = shape, b = scale] { return random.gamma(a, b); });
    double sum = 0;
    double squares = 0;
    for (const double x : sample) {
      sum += x;
      squares += x * x;
    }
    const double mean = sum / 50000;
    const double variance = squares / 50000 - mean * mean;
    EXPECT_NEAR(mean / (shape * scale), 1, 5 / std::sqrt(50000 * shape));
    EXPECT_NEAR(variance / (shape * scale * scale), 1, 0.06);
    if (shape <= 100) {
      EXPECT_LT(kolmogorov_smirnov(sample, [a = shape, b = scale](double x) { return gamma_cdf(x, a, b); }), 1.95)
          << shape;
    }
  }
}

// For whole shapes P(n, x) = 1 - exp(-x) sum over k < n of x^k / k!; for 1/2 it is erf(sqrt(x)).
TEST(GammaCdf, HasItsClosedForms) {
  for (int shape = 1; shape <= 20; ++shape) {
    for (const double x : {0.01, 0.5, 1.0, 3.7, 8.0, 20.0, 60.0}) {
      double term = std::exp(-x);
      double below = 0;
      for (int k = 0; k < shape; ++k) {
        below += term;
        term *= x / (k + 1);
      }
      EXPECT_NEAR(gamma_cdf(2.5 * x, shape, 2.5), 1 - below, 2e-14) << shape << " " << x;
    }
  }
  for (const double x : {0.001, 0.3, 1.0, 1.6, 4.0, 30.0})
    EXPECT_NEAR(gamma_cdf(x, 0.5, 1), std::erf(std::sqrt(x)), 2e-14) << x;
}

// Quantiles of chi-squared, Gamma(k / 2, 2), from the tables.
TEST(GammaCdf, AgreesWithChiSquaredTables) {
  EXPECT_NEAR(gamma_cdf(11.0704976935, 2.5, 2), 0.95, 1e-10);
  EXPECT_NEAR(gamma_cdf(18.3070380533, 5, 2), 0.95, 1e-10);
  EXPECT_NEAR(gamma_cdf(1.14547622606, 2.5, 2), 0.05, 1e-10);
}

TEST(GammaCdf, IsZeroAtZeroAndOneFarOut) {
  EXPECT_EQ(gamma_cdf(0, 6, 5), 0);
  EXPECT_EQ(gamma_cdf(-1, 6, 5), 0);
  EXPECT_EQ(gamma_cdf(1e6, 6, 5), 1);
  EXPECT_EQ(gamma_cdf(HUGE_VAL, 6, 5), 1);
}

}  // namespace
}  // namespace dfrs::sim
