// SPDX-License-Identifier: GPL-2.0-or-later
// The Weibull distribution, F(x) = 1 - exp(-(x / beta)^alpha): times between submissions (Streit 2003, section 4).
#pragma once

#include <span>

#include "policy/core/units.h"
#include "sim/workload/random.h"

namespace dfrs::sim {

struct Weibull {
  double alpha = 1;  ///< shape, > 0; below 1 means bursts and long silences
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

/// The distribution whose function is closest to that of the values in the mean of squares. Values of 0, which whole
/// seconds make of short times, count in the shares of the others, not by themselves. Needs two different positive
/// values; a fit to fewer has alpha 1 and their mean. O(n log n).
WeibullFit fit_weibull(std::span<const double> values);

}  // namespace dfrs::sim
