// SPDX-License-Identifier: GPL-2.0-or-later
// Values as job tables write them, and as sacct would.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policy/core/units.h"

namespace dfrs::sim {

/// True if `cell` is empty or one of the words that tables use for no value: NULL, NaN, None, NA, ...
bool csv_no_value(std::string_view cell);

/// Seconds from "12:34:56", "1-12:34:56" or "1 days 12:34:56", each with or without a fraction.
std::optional<Seconds> parse_csv_clock(std::string_view cell);

/// "2026-11-21T16:49:27" or "...27.250"; rounded to milliseconds. `since_1970` >= 0.
std::string sacct_instant(Seconds since_1970);

/// "26:05:09" or "0:00:09.250"; rounded to milliseconds. `seconds` >= 0.
std::string sacct_duration(Seconds seconds);

}  // namespace dfrs::sim
