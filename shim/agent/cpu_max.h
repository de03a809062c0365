// SPDX-License-Identifier: GPL-2.0-or-later
// A CPU quota as the kernel takes it: so many microseconds of CPU time in every period.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dfrs::shim {

struct CpuMax {
  static constexpr std::int64_t kUnlimited = -1;

  std::int64_t quota_us = kUnlimited;  ///< CPU time in a period, of all CPUs together; below 0: no limit
  std::int64_t period_us = 100000;     ///< the kernel's default

  bool unlimited() const { return quota_us < 0; }
  /// Of a limited one.
  double cores() const { return static_cast<double>(quota_us) / static_cast<double>(period_us); }
  friend bool operator==(const CpuMax&, const CpuMax&) = default;
};

/// Shortest period wanted, and the kernel's bounds on both numbers.
inline constexpr std::int64_t kDefaultPeriodUs = 10000;
inline constexpr std::int64_t kMinPeriodUs = 1000;
inline constexpr std::int64_t kMaxPeriodUs = 1000000;
inline constexpr std::int64_t kMinQuotaUs = 1000;

/// `cores` (>= 0) of CPU time. Short periods follow changes faster, and give away less where quotas change often (every
/// write refills the budget of a period), so the period is `base_period_us` - but long enough that the quota is two
/// milliseconds, since the kernel takes none below one, and spends it in slices of milliseconds. The least there is:
/// a thousandth of a core (1 ms in 1 s).
CpuMax cpu_max_for(double cores, std::int64_t base_period_us = kDefaultPeriodUs);

/// "QUOTA PERIOD" in microseconds, QUOTA may be "max": cgroup v2's cpu.max, also the format of published quotas.
std::string format_cpu_max(const CpuMax& value);
/// Nothing if the text is not of that form. Any text is safe.
std::optional<CpuMax> parse_cpu_max(std::string_view text);

}  // namespace dfrs::shim
