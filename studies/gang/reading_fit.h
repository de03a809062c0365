// SPDX-License-Identifier: GPL-2.0-or-later
// How near the cells of the gang paper's table I come under a reading of what it leaves open.
#pragma once

#include <cstddef>
#include <span>

#include "sim/metrics/metrics.h"

namespace dfrs::sim {

/// The paper knows each mean to within 5 %. CPE has four of them, whose errors add up in quadrature.
inline constexpr double kPaperPrecision = 0.1;

struct ReadingFit {
  Summary ours;
  double distance = 0;     ///< root mean square of ours - published
  double correlation = 0;  ///< of ours and published, Pearson's
  std::size_t signs = 0;   ///< cells of the same sign
  std::size_t near = 0;    ///< within kPaperPrecision
  std::size_t agree = 0;   ///< within 10 %, or equal as printed
};

/// Compares our cells with the published ones: as many of both, at least two, not all equal. O(n log n).
ReadingFit reading_fit(std::span<const double> ours, std::span<const double> published);

}  // namespace dfrs::sim
