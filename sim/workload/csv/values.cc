// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/csv/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "sim/workload/sacct/fields.h"

namespace dfrs::sim {

bool csv_no_value(std::string_view cell) {
  constexpr std::array<std::string_view, 9> kWords{"NULL", "null", "NaN", "nan", "NaT", "None", "NA", "N/A", "<NA>"};
  return cell.empty() || std::find(kWords.begin(), kWords.end(), cell) != kWords.end();
}

std::optional<Seconds> parse_csv_clock(std::string_view cell) {
  // pandas and DuckDB write days as words.
  for (const std::string_view word : {" days ", " day ", " days, ", " day, "}) {
    const std::size_t at = cell.find(word);
    if (at == std::string_view::npos) continue;
    return parse_duration(fmt::format("{}-{}", cell.substr(0, at), cell.substr(at + word.size())));
  }
  return parse_duration(cell);
}

std::string sacct_instant(Seconds since_1970) {
  const auto ms = static_cast<std::int64_t>(std::llround(since_1970 * 1000));
  const std::int64_t whole = ms / 1000;
  std::string text = format_instant(static_cast<Seconds>(whole));
  if (ms % 1000 != 0) text += fmt::format(".{:03}", ms % 1000);
  return text;
}

std::string sacct_duration(Seconds seconds) {
  const auto ms = static_cast<std::int64_t>(std::llround(seconds * 1000));
  const std::int64_t whole = ms / 1000;
  std::string text = fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  if (ms % 1000 != 0) text += fmt::format(".{:03}", ms % 1000);
  return text;
}

}  // namespace dfrs::sim
