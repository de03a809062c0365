// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/limits.h"

#include <algorithm>
#include <cmath>

namespace dfrs::shim {

std::optional<std::int64_t> wanted_end_time(const LimitState& state, Seconds now) {
  if (state.limit_minutes == UINT32_MAX || !(state.yield > 0)) return std::nullopt;
  const Seconds left = 60.0 * state.limit_minutes - state.used;
  // Bounds that every clock can represent. What was used up so long ago has ended.
  constexpr Seconds kYear = 365.0 * 86400;
  const Seconds wanted = std::ceil(now + std::clamp(left / state.yield, -kYear, 100 * kYear) + kLimitSlack);
  const auto present = static_cast<Seconds>(state.end_time);
  const Seconds nearer = std::max(0.0, std::min(wanted, present) - now);
  const Seconds tolerance = std::clamp(nearer / 20, 1.0, 300.0);
  if (state.end_time != 0 && std::abs(present - wanted) <= tolerance) return std::nullopt;
  return static_cast<std::int64_t>(wanted);
}

}  // namespace dfrs::shim
