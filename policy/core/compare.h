// SPDX-License-Identifier: GPL-2.0-or-later
// Floating-point comparisons by name, each with its tolerance. Rigid resources are integers and need none.
#pragma once

#include <limits>

namespace dfrs {

/// Relative tolerance of CPU sums. Rounding of some thousand terms stays below it, and so little is no overload.
inline constexpr double kCpuTolerance = 1e-9;

/// Whether `used` CPU fits in `capacity`, with a tolerance of kCpuTolerance relative to the capacity.
constexpr bool cpu_fits(double used, double capacity) { return used <= capacity * (1.0 + kCpuTolerance); }

/// Whether a CPU load exceeds a capacity by more than rounding.
constexpr bool cpu_exceeds(double used, double capacity) { return !cpu_fits(used, capacity); }

/// Relative tolerance of schedule qualities, which are sums over the same jobs in different orders.
inline constexpr double kQualityTolerance = 1e-9;

/// Whether two qualities, `better` <= `worse`, differ by no more than rounding. Both may be infinite.
constexpr bool same_quality(double better, double worse) {
  if (better == worse) return true;
  if (worse == std::numeric_limits<double>::infinity()) return false;
  return worse - better <= kQualityTolerance * (worse < 0 ? -worse : worse);
}

}  // namespace dfrs
