// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/metrics/another_draw.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "sim/metrics/by_trace.h"
#include "sim/workload/random.h"

namespace dfrs::sim {
namespace {

constexpr std::size_t kLeastTail = 10;
constexpr std::size_t kMostTail = 100;
constexpr std::size_t kDraws = 10'000;  // 2,000 leave the ends too uncertain
constexpr std::size_t kExceeding = 6;   // so many of one draw exceed all of another in fewer than 2.5 of 100 cases

// Of one trace, relative to the mean of all values.
struct Trace {
  double maximum = 0;
  double sum = 0, squares = 0;
};

std::vector<Trace> traces_of(std::span<const double> values, std::size_t traces, double mean) {
  std::vector<Trace> all(traces);
  const std::vector<double> maxima = maxima_by_trace(values, traces);
  for (std::size_t t = 0; t < traces; ++t) all[t].maximum = maxima[t];
  for (std::size_t k = 0; k < values.size(); ++k) {
    Trace& trace = all[k % traces];
    trace.sum += values[k] - mean;
    trace.squares += (values[k] - mean) * (values[k] - mean);
  }
  std::stable_sort(all.begin(), all.end(), [](const Trace& a, const Trace& b) { return a.maximum > b.maximum; });
  return all;
}

// Sums of traces and of their squares, which are normal together.
struct Body {
  double mean_sum = 0, mean_squares = 0;
  double sum = 0, both = 0, squares = 0;  // the Cholesky factor of the covariance
};

Body body_of(std::span<const Trace> traces) {
  const auto n = static_cast<double>(traces.size());
  Body body;
  for (const Trace& trace : traces) {
    body.mean_sum += trace.sum / n;
    body.mean_squares += trace.squares / n;
  }
  double variance = 0;
  double covariance = 0;
  double variance_of_squares = 0;
  for (const Trace& trace : traces) {
    const double a = trace.sum - body.mean_sum;
    const double b = trace.squares - body.mean_squares;
    variance += a * a / n;
    covariance += a * b / n;
    variance_of_squares += b * b / n;
  }
  body.sum = std::sqrt(variance);
  body.both = variance > 0 ? covariance / body.sum : 0;
  body.squares = std::sqrt(std::max(0.0, variance_of_squares - body.both * body.both));
  return body;
}

Interval middle(std::vector<double>& drawn) {
  std::sort(drawn.begin(), drawn.end());
  const auto at = [&](double share) {
    return drawn[static_cast<std::size_t>(share * static_cast<double>(drawn.size() - 1))];
  };
  return {at((1 - kBootstrapLevel) / 2), at((1 + kBootstrapLevel) / 2)};
}

}  // namespace

std::optional<AnotherDraw> another_draw(std::span<const double> values, std::size_t traces) {
  if (traces == 0) traces = values.size();
  const std::size_t tail = std::clamp(traces / 10, kLeastTail, kMostTail);
  if (traces <= tail) return std::nullopt;
  const auto count = static_cast<double>(values.size());
  const double each = count / static_cast<double>(traces);
  double mean = 0;
  for (const double value : values) mean += value / count;
  const std::vector<Trace> all = traces_of(values, traces, mean);
  if (!(all[tail].maximum > 0) ||
      !(*std::max_element(values.begin(), values.end()) > *std::min_element(values.begin(), values.end()))) {
    return std::nullopt;
  }
  const double begin = all[tail].maximum;
  double exponent = 0;
  for (std::size_t k = 0; k < tail; ++k) exponent += std::log(all[k].maximum / begin) / static_cast<double>(tail);
  const Body body = body_of(std::span(all).subspan(tail));

  Random random(kBootstrapSeed, traces);
  std::vector<double> means;
  std::vector<double> deviations;
  std::vector<double> maxima;
  for (std::size_t r = 0; r < kDraws; ++r) {
    const double drawn_exponent = exponent * static_cast<double>(tail) / random.gamma(static_cast<double>(tail), 1);
    // Poisson, with a mean that is as uncertain as the place of the largest but `tail`.
    const double expected = random.gamma(static_cast<double>(tail + 1), 1);
    double sum = 0;
    double squares = 0;
    double maximum = begin;
    std::size_t in_tail = 0;
    for (double at = -std::log(1 - random.uniform()); at < expected && in_tail < traces;
         at -= std::log(1 - random.uniform()), ++in_tail) {
      const Trace& trace = all[static_cast<std::size_t>(random.uniform() * static_cast<double>(tail))];
      const double drawn = begin * std::pow(1 - random.uniform(), -drawn_exponent);
      const double scale = drawn / trace.maximum;
      const double shift = each * mean * (scale - 1);
      sum += shift + scale * trace.sum;
      squares +=
          shift * mean * (scale - 1) + 2 * mean * scale * (scale - 1) * trace.sum + scale * scale * trace.squares;
      maximum = std::max(maximum, drawn);
    }
    const auto rest = static_cast<double>(traces - in_tail);
    // Two draws: ours, which gives the means, and the other.
    const double spread = std::sqrt(rest * (1 + rest / static_cast<double>(traces - tail)));
    const double z = random.normal();
    sum += rest * body.mean_sum + spread * body.sum * z;
    squares += std::max(0.0, rest * body.mean_squares + spread * (body.both * z + body.squares * random.normal()));
    means.push_back(mean + sum / count);
    deviations.push_back(std::sqrt(std::max(0.0, squares - sum * sum / count) / (count - 1)));
    maxima.push_back(maximum);
  }
  AnotherDraw another{middle(means), middle(deviations), middle(maxima)};
  another.maximum.low = std::min(another.maximum.low, all[kExceeding - 1].maximum);
  return another;
}

}  // namespace dfrs::sim
