// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/weibull.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace dfrs::sim {
namespace {

// A value, the share of values up to it (counting half of those equal to it), and how many equal it.
struct Step {
  double log_value;
  double share;
  double count;
};

std::vector<Step> distribution_of(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<Step> steps;
  if (sorted.empty()) return steps;  // avoids a false warning of g++ 14 (-Wfree-nonheap-object)
  const auto n = static_cast<double>(sorted.size());
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin;
    while (end < sorted.size() && sorted[end] == sorted[begin]) ++end;
    if (sorted[begin] > 0) {
      const double middle = (static_cast<double>(begin) + static_cast<double>(end)) / 2;
      steps.push_back({std::log(sorted[begin]), middle / n, static_cast<double>(end - begin)});
    }
    begin = end;
  }
  return steps;
}

double distance(const std::vector<Step>& steps, double alpha, double log_beta) {
  double sum = 0;
  double count = 0;
  for (const Step& step : steps) {
    const double off = 1 - std::exp(-std::exp(alpha * (step.log_value - log_beta))) - step.share;
    sum += step.count * off * off;
    count += step.count;
  }
  return sum / count;
}

}  // namespace

double Weibull::cdf(double x) const { return x > 0 ? -std::expm1(-std::pow(x / beta, alpha)) : 0; }

double Weibull::mean() const { return beta * std::tgamma(1 + 1 / alpha); }

double Weibull::draw(Random& random) const { return beta * std::pow(-std::log1p(-random.uniform()), 1 / alpha); }

WeibullFit fit_weibull(std::span<const double> values) {
  const std::vector<Step> steps = distribution_of(values);
  if (steps.size() < 2) return {{1, steps.empty() ? 1 : std::exp(steps.front().log_value)}, 0};

  // Starts from a straight line through ln(-ln(1 - F)) over ln x, then refines by Gauss-Newton with step halving.
  double sx = 0, sy = 0, sxx = 0, sxy = 0, n = 0;
  for (const Step& step : steps) {
    const double y = std::log(-std::log1p(-step.share));
    sx += step.count * step.log_value;
    sy += step.count * y;
    sxx += step.count * step.log_value * step.log_value;
    sxy += step.count * step.log_value * y;
    n += step.count;
  }
  double alpha = std::max(0.01, (n * sxy - sx * sy) / (n * sxx - sx * sx));
  double log_beta = sx / n - sy / n / alpha;
  double best = distance(steps, alpha, log_beta);
  for (int round = 0; round < 100; ++round) {
    double aa = 0, ab = 0, bb = 0, ga = 0, gb = 0;
    for (const Step& step : steps) {
      const double z = alpha * (step.log_value - log_beta);
      const double power = std::exp(z);
      const double slope = std::isinf(power) ? 0 : power * std::exp(-power);  // of F over z
      const double off = 1 - std::exp(-power) - step.share;
      const double by_alpha = slope * (step.log_value - log_beta);
      const double by_beta = -slope * alpha;
      aa += step.count * by_alpha * by_alpha;
      ab += step.count * by_alpha * by_beta;
      bb += step.count * by_beta * by_beta;
      ga += step.count * by_alpha * off;
      gb += step.count * by_beta * off;
    }
    const double determinant = aa * bb - ab * ab;
    if (!(determinant > 0)) break;
    const double to_alpha = -(bb * ga - ab * gb) / determinant;
    const double to_beta = -(aa * gb - ab * ga) / determinant;
    bool better = false;
    for (double part = 1; part > 1e-6 && !better; part /= 2) {
      const double a = alpha + part * to_alpha;
      const double b = log_beta + part * to_beta;
      if (!(a > 0)) continue;
      const double there = distance(steps, a, b);
      if (!(there < best)) continue;
      better = best - there > 1e-15;
      alpha = a;
      log_beta = b;
      best = there;
      break;
    }
    if (!better) break;
  }
  return {{alpha, std::exp(log_beta)}, best};
}

}  // namespace dfrs::sim
