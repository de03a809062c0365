// SPDX-License-Identifier: GPL-2.0-or-later
// Floating comparisons by name, each with its tolerance. Rigid resources are integers and need none of this.
#pragma once

#include <limits>

namespace dfrs {

/// CPU sums of up to some thousand terms differ by rounding alone; a millionth of a percent of a node is no overload.
inline constexpr double kCpuTolerance = 1e-9;

/// True if `used` CPU fits in `capacity`, up to kCpuTolerance relative to the capacity.
constexpr bool cpu_fits(double used, double capacity) { return used <= capacity * (1.0 + kCpuTolerance); }

/// True if a CPU load exceeds a capacity by more than rounding.
constexpr bool cpu_exceeds(double used, double capacity) { return !cpu_fits(used, capacity); }

/// Qualities of schedules are sums over the same jobs in different orders: a billionth of them is rounding.
inline constexpr double kQualityTolerance = 1e-9;

/// True if the qualities of two schedules, `better` <= `worse`, differ by rounding alone (infinite ones included).
constexpr bool same_quality(double better, double worse) {
  if (better == worse) return true;
  if (worse == std::numeric_limits<double>::infinity()) return false;
  return worse - better <= kQualityTolerance * (worse < 0 ? -worse : worse);
}

}  // namespace dfrs
