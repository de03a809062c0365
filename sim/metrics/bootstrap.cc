// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/metrics/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/workload/random.h"

namespace dfrs::sim {
namespace {

double normal_cdf(double z) { return std::erfc(-z / std::sqrt(2.0)) / 2; }

// By bisection; the probabilities here are at least 1 / (2 x resamples) away from 0 and 1.
double normal_quantile(double probability) {
  double low = -10;
  double high = 10;
  for (int k = 0; k < 60; ++k) {
    const double middle = (low + high) / 2;
    (normal_cdf(middle) < probability ? low : high) = middle;
  }
  return (low + high) / 2;
}

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// A sixth of the skewness of the mean, by the jackknife, which has a closed form for a mean.
double acceleration(std::span<const double> values, double mean) {
  double squares = 0;
  double cubes = 0;
  for (const double value : values) {
    const double away = value - mean;
    squares += away * away;
    cubes += away * away * away;
  }
  return squares > 0 ? cubes / (6 * std::pow(squares, 1.5)) : 0;
}

// The value below which this share of the sorted values lies, between neighbours in proportion.
double quantile(std::span<const double> sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

Interval interval_of(std::span<const double> values, std::vector<double>& resampled) {
  const double mean = mean_of(values);
  std::sort(resampled.begin(), resampled.end());
  // Sums in another order round differently: means this close to ours are equal to it.
  const double near = 1e-12 * std::abs(mean);
  const auto less = std::lower_bound(resampled.begin(), resampled.end(), mean - near) - resampled.begin();
  const auto not_more = std::upper_bound(resampled.begin(), resampled.end(), mean + near) - resampled.begin();
  if (less == 0 && not_more == static_cast<std::ptrdiff_t>(resampled.size())) return {mean, mean};  // all are equal
  const auto count = static_cast<double>(resampled.size());
  const double below = static_cast<double>(less + not_more) / (2 * count);
  const double bias = normal_quantile(std::clamp(below, 0.5 / count, 1 - 0.5 / count));
  const double skew = acceleration(values, mean);
  const auto end = [&](double probability) {
    const double z = bias + normal_quantile(probability);
    return quantile(resampled, normal_cdf(bias + z / (1 - skew * z)));
  };
  return {end((1 - kBootstrapLevel) / 2), end((1 + kBootstrapLevel) / 2)};
}

}  // namespace

std::optional<Interval> bootstrap_mean(std::span<const double> values) {
  const std::vector<double> one(values.begin(), values.end());
  return bootstrap_means({&one, 1}).front();
}

std::vector<std::optional<Interval>> bootstrap_means(std::span<const std::vector<double>> series) {
  std::vector<std::optional<Interval>> intervals(series.size());
  std::map<std::size_t, std::vector<std::size_t>> by_length;
  for (std::size_t k = 0; k < series.size(); ++k) {
    if (series[k].size() > 1) by_length[series[k].size()].push_back(k);
  }
  for (const auto& [length, places] : by_length) {
    std::vector<std::vector<double>> resampled(places.size());
    for (std::vector<double>& means : resampled) means.reserve(kBootstrapResamples);
    for_each_resample(length, [&](std::span<const std::uint32_t> drawn) {
      for (std::size_t k = 0; k < places.size(); ++k) {
        const double* const values = series[places[k]].data();
        double sum = 0;
        for (const std::uint32_t place : drawn) sum += values[place];
        resampled[k].push_back(sum / static_cast<double>(drawn.size()));
      }
    });
    for (std::size_t k = 0; k < places.size(); ++k) {
      intervals[places[k]] = interval_of(series[places[k]], resampled[k]);
    }
  }
  return intervals;
}

void for_each_resample(std::size_t count, const std::function<void(std::span<const std::uint32_t>)>& take) {
  Random random(kBootstrapSeed, count);
  std::vector<std::uint32_t> drawn(count);
  for (std::size_t r = 0; r < kBootstrapResamples; ++r) {
    for (std::uint32_t& place : drawn) {
      place = static_cast<std::uint32_t>(random.uniform_integer(0, static_cast<int>(count) - 1));
    }
    take(drawn);
  }
}

Interval percentile_interval(std::vector<double> drawn) {
  std::sort(drawn.begin(), drawn.end());
  return {quantile(drawn, (1 - kBootstrapLevel) / 2), quantile(drawn, (1 + kBootstrapLevel) / 2)};
}

}  // namespace dfrs::sim
