// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/advise/figures.h"

#include <fmt/format.h>

namespace dfrs::sim::figures {

std::string number(double value) {
  if (value < 9.995) return fmt::format("{:.2f}", value);
  if (value < 99.95) return fmt::format("{:.1f}", value);
  return fmt::format("{:.0f}", value);
}

std::string stretch(double value) { return value < 9.95 ? fmt::format("{:.1f}", value) : number(value); }

std::string span(Seconds seconds) {
  if (seconds < 0.5) return "0 s";
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  if (seconds < 48 * 3600) return fmt::format("{:.1f} h", seconds / 3600);
  return fmt::format("{:.1f} days", seconds / 86400);
}

std::string rate(double gb_per_s) {
  if (gb_per_s <= 0) return "0";
  const double mb = gb_per_s * 1024;
  if (mb < 0.095) return "under 0.1 MB/s";
  if (mb < 9.95) return fmt::format("{:.1f} MB/s", mb);
  return mb < 999.5 ? fmt::format("{:.0f} MB/s", mb) : fmt::format("{} GB/s", number(gb_per_s));
}

std::string percent(double share) {
  const double value = share * 100;
  if (value > 0 && value < 0.095) return "under 0.1 %";
  return value < 9.95 ? fmt::format("{:.1f} %", value) : fmt::format("{:.0f} %", value);
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits + ' ' + std::string(count == 1 ? one : many);
}

std::string jobs_of(std::size_t count) { return counted(count, "job", "jobs"); }

}  // namespace dfrs::sim::figures
