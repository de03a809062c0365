// SPDX-License-Identifier: GPL-2.0-or-later
// Confidence intervals of means over independent replications.
#pragma once

#include <cstddef>
#include <span>

namespace dfrs::sim {

/// Probability that Student's t with `freedom` degrees of freedom is at most t, by the regularised incomplete beta
/// function, to about 1e-13. Requires freedom >= 1.
double student_t_cdf(double t, double freedom);

/// The t below which Student's t lies with this probability, by bisection, to about 1e-12 relative. Requires
/// 0 < probability < 1, freedom >= 1.
double student_t_quantile(double probability, double freedom);

struct ConfidenceInterval {
  std::size_t count = 0;
  double mean = 0;
  double half_width = 0;  ///< infinite for one value, which says nothing about the spread; 0 for none

  /// half_width / |mean|: how precise the mean is.
  double relative() const { return half_width / (mean < 0 ? -mean : mean); }
};

/// mean -+ half_width covers the true mean with the probability `level`, if the values are independent and about normal
/// (means over long runs are): half_width = t(1 - (1 - level) / 2; n - 1) x stddev / sqrt(n).
ConfidenceInterval confidence_interval(std::span<const double> values, double level = 0.95);

}  // namespace dfrs::sim
