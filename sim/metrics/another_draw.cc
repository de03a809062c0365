// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/metrics/another_draw.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "sim/metrics/by_trace.h"

namespace dfrs::sim {
namespace {

constexpr std::size_t kExceeding = 6;  // so many of one draw exceed all of another in fewer than 2.5 of 100 cases
constexpr std::size_t kLeastTail = 10;
constexpr double kNormal95 = 1.959964;  // 95 % of a normal distribution lie within so many standard deviations

}  // namespace

std::optional<Interval> deviation_of_another_draw(std::span<const double> values, std::size_t traces) {
  if (traces < 2) return std::nullopt;
  const auto count = static_cast<double>(values.size());
  double mean = 0;
  for (const double value : values) mean += value / count;
  std::vector<double> squares;
  for (const double value : values) squares.push_back((value - mean) * (value - mean));
  double sum = 0;
  double squared = 0;
  for (const double square : means_by_trace(squares, traces)) {
    sum += square;
    squared += square * square;
  }
  if (!(sum > 0)) return std::nullopt;
  const auto n = static_cast<double>(traces);
  const double kurtosis = n * squared / (sum * sum);
  const double error = std::sqrt(2 * (kurtosis - 1) / (4 * n));
  const double ours = std::sqrt(sum / n * count / (count - 1));
  return Interval{ours * std::exp(-kNormal95 * error), ours * std::exp(kNormal95 * error)};
}

std::optional<Interval> maximum_of_another_draw(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  const std::size_t tail = std::max(kLeastTail, sorted.size() / 10);
  if (sorted.size() <= tail || !(sorted[tail] > 0)) return std::nullopt;
  const double begin = sorted[tail];
  double exponent = 0;
  for (std::size_t k = 0; k < tail; ++k) exponent += std::log(sorted[k] / begin);
  exponent /= static_cast<double>(tail);
  // Of n values, `tail` are expected beyond `begin`; none beyond x in all but 2.5 of 100 draws.
  const double beyond = -std::log((1 + kBootstrapLevel) / 2);
  const double high = begin * std::pow(static_cast<double>(tail) / beyond, exponent);
  return Interval{sorted[kExceeding - 1], std::max(high, sorted.front())};
}

}  // namespace dfrs::sim
