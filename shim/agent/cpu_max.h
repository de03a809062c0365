// SPDX-License-Identifier: GPL-2.0-or-later
// A CPU quota in the kernel's form: microseconds of CPU time in every period.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dfrs::shim {

struct CpuMax {
  static constexpr std::int64_t kUnlimited = -1;

  std::int64_t quota_us = kUnlimited;  ///< CPU time per period, over all CPUs; negative: no limit
  std::int64_t period_us = 100000;     ///< the kernel's default

  bool unlimited() const { return quota_us < 0; }
  /// Only if it is limited.
  double cores() const { return static_cast<double>(quota_us) / static_cast<double>(period_us); }
  friend bool operator==(const CpuMax&, const CpuMax&) = default;
};

/// The default period, and the kernel's bounds on both numbers.
inline constexpr std::int64_t kDefaultPeriodUs = 10000;
inline constexpr std::int64_t kMinPeriodUs = 1000;
inline constexpr std::int64_t kMaxPeriodUs = 1000000;
inline constexpr std::int64_t kMinQuotaUs = 1000;

/// The quota for `cores` (>= 0) of CPU time, at least a thousandth of a core (1 ms in 1 s). The period is
/// `base_period_us`: short, because changes then take effect faster and give away less (each write refills the budget
/// of a period). It is longer if the quota would be below 2 ms: the kernel's minimum is 1 ms, spent in slices of
/// milliseconds.
CpuMax cpu_max_for(double cores, std::int64_t base_period_us = kDefaultPeriodUs);

/// "QUOTA PERIOD" in microseconds, QUOTA may be "max": the format of cgroup v2's cpu.max and of published quotas.
std::string format_cpu_max(const CpuMax& value);
/// Nothing if the text does not have that form. Any text is safe.
std::optional<CpuMax> parse_cpu_max(std::string_view text);

}  // namespace dfrs::shim
