// SPDX-License-Identifier: GPL-2.0-or-later
// The Weibull distribution, F(x) = 1 - exp(-(x / beta)^alpha): times between submissions (Streit 2003, section 4).
#pragma once

#include <span>

#include "policy/core/units.h"
#include "sim/workload/random.h"

namespace dfrs::sim {

struct Weibull {
  double alpha = 1;  ///< shape, > 0; below 1 means bursts and long gaps
  double beta = 1;   ///< scale, > 0, in the unit of x

  /// P(X <= x); 0 for x <= 0.
  double cdf(double x) const;
  double mean() const;
  double draw(Random& random) const;
};

struct WeibullFit {
  Weibull weibull;
  double distance = 0;  ///< mean squared difference between the two distribution functions
};

/// The least-squares fit to the empirical distribution function of the values. Zeros, which short times become when
/// rounded to whole seconds, count in the shares of the other values but are not fitted. With fewer than two distinct
/// positive values, the fit has alpha 1 and their mean. O(n log n).
WeibullFit fit_weibull(std::span<const double> values);

}  // namespace dfrs::sim
