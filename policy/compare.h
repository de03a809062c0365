// SPDX-License-Identifier: GPL-2.0-or-later
// Floating comparisons by name, each with its tolerance. Rigid resources are integers and need none of this.
#pragma once

namespace dfrs {

/// CPU sums of up to some thousand terms differ by rounding alone; a millionth of a percent of a node is no overload.
inline constexpr double kCpuTolerance = 1e-9;

/// True if `used` CPU fits in `capacity`, up to kCpuTolerance relative to the capacity.
constexpr bool cpu_fits(double used, double capacity) { return used <= capacity * (1.0 + kCpuTolerance); }

/// True if a CPU load exceeds a capacity by more than rounding.
constexpr bool cpu_exceeds(double used, double capacity) { return !cpu_fits(used, capacity); }

}  // namespace dfrs
