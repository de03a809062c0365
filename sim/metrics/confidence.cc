// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/metrics/confidence.h"

#include <cmath>
#include <limits>

#include "sim/metrics/metrics.h"

namespace dfrs::sim {
namespace {

// Regularised incomplete beta function I_x(a, b), by its continued fraction (Lentz's method), which converges quickly
// for x < (a + 1) / (a + b + 2); other x by I_x(a, b) = 1 - I_(1-x)(b, a).
double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incomplete_beta(b, a, 1 - x);
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x)) / a;
  constexpr double kTiny = 1e-300;
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  const auto nonzero = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double c = 1;
  double d = 1 / nonzero(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m < 10000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / nonzero(1 + even * d);
    c = nonzero(1 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonzero(1 + odd * d);
    c = nonzero(1 + odd / c);
    fraction *= d * c;
    if (std::abs(d * c - 1) < 2 * kEpsilon) break;
  }
  return front * fraction;
}

}  // namespace

double student_t_cdf(double t, double freedom) {
  const double tail = incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2;
  return t > 0 ? 1 - tail : tail;
}

double student_t_quantile(double probability, double freedom) {
  if (probability == 0.5) return 0;
  if (probability < 0.5) return -student_t_quantile(1 - probability, freedom);
  double low = 0;
  double high = 1;
  while (student_t_cdf(high, freedom) < probability && high < 1e300) {
    low = high;
    high *= 2;
  }
  for (int k = 0; k < 200 && high - low > 1e-14 * high; ++k) {
    const double middle = (low + high) / 2;
    (student_t_cdf(middle, freedom) < probability ? low : high) = middle;
  }
  return (low + high) / 2;
}

ConfidenceInterval confidence_interval(std::span<const double> values, double level) {
  const Summary s = summarize(values);
  ConfidenceInterval interval{s.count, s.mean, 0};
  if (s.count == 1) interval.half_width = std::numeric_limits<double>::infinity();
  if (s.count > 1) {
    const auto n = static_cast<double>(s.count);
    interval.half_width = student_t_quantile(1 - (1 - level) / 2, n - 1) * s.stddev / std::sqrt(n);
  }
  return interval;
}

}  // namespace dfrs::sim
