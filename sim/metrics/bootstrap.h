// SPDX-License-Identifier: GPL-2.0-or-later
// Bootstrap intervals of means: how far a mean over instances would move with other instances of the same kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace dfrs::sim {

/// A 95 % interval. Fixed, so that the same results always give the same interval.
struct Interval {
  double low = 0;
  double high = 0;
};
inline constexpr double kBootstrapLevel = 0.95;
inline constexpr std::size_t kBootstrapResamples = 2000;
inline constexpr std::uint64_t kBootstrapSeed = 20100419;

/// The interval of the mean by the bias-corrected and accelerated bootstrap (Efron 1987), which follows a skewed
/// distribution where a symmetric interval cannot. Nothing for fewer than two values. Below about ten values it is
/// shorter than it should be. Values must be finite. O(resamples x values).
std::optional<Interval> bootstrap_mean(std::span<const double> values);

/// The same for many series. Series of one length draw the same places at the same time, so their results do not depend
/// on which others are there.
std::vector<std::optional<Interval>> bootstrap_means(std::span<const std::vector<double>> series);

/// For figures that are not means: calls `take` with the places of kBootstrapResamples draws of `count` > 0 values,
/// each with repetition. The draws are the same for each call with the same count, so that figures can be paired.
void for_each_resample(std::size_t count, const std::function<void(std::span<const std::uint32_t> places)>& take);
/// The interval between the percentiles of what such draws gave; `drawn` is not empty.
Interval percentile_interval(std::vector<double> drawn);

}  // namespace dfrs::sim
