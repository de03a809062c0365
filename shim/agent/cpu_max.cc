// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/agent/cpu_max.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace dfrs::shim {
namespace {

constexpr double kWantedQuotaUs = 2000;
// Far above any machine, far below the limits of the kernel's arithmetic.
constexpr double kMaxCores = 1e5;

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

CpuMax cpu_max_for(double cores, std::int64_t base_period_us) {
  cores = std::clamp(cores, 0.0, kMaxCores);
  double period = static_cast<double>(std::clamp(base_period_us, kMinPeriodUs, kMaxPeriodUs));
  if (cores * period < kWantedQuotaUs)
    period =
        cores * kMaxPeriodUs < kWantedQuotaUs ? static_cast<double>(kMaxPeriodUs) : std::ceil(kWantedQuotaUs / cores);
  CpuMax value;
  value.period_us = std::min(static_cast<std::int64_t>(period), kMaxPeriodUs);
  value.quota_us = std::max<std::int64_t>(kMinQuotaUs, std::llround(cores * static_cast<double>(value.period_us)));
  return value;
}

std::string format_cpu_max(const CpuMax& value) {
  return value.unlimited() ? fmt::format("max {}", value.period_us)
                           : fmt::format("{} {}", value.quota_us, value.period_us);
}

std::optional<CpuMax> parse_cpu_max(std::string_view text) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const auto period = whole(text.substr(space + 1));
  if (!period || *period < 1) return std::nullopt;
  if (text.substr(0, space) == "max") return CpuMax{CpuMax::kUnlimited, *period};
  const auto quota = whole(text.substr(0, space));
  if (!quota || *quota < 1) return std::nullopt;
  return CpuMax{*quota, *period};
}

}  // namespace dfrs::shim
