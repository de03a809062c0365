// SPDX-License-Identifier: GPL-2.0-or-later
// Figures as the page for administrators shows them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "policy/core/units.h"

namespace dfrs::sim::figures {

/// About three digits.
std::string number(double value);
/// One decimal below 10.
std::string stretch(double value);
/// "90 min", "1.5 h", "2.0 days".
std::string span(Seconds seconds);
/// GB of 1024 MiB.
std::string rate(double gb_per_s);
std::string percent(double share);
/// "1 job", "12,345 jobs".
std::string counted(std::size_t count, std::string_view one, std::string_view many);
std::string jobs_of(std::size_t count);

}  // namespace dfrs::sim::figures
