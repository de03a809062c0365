// SPDX-License-Identifier: GPL-2.0-or-later
// What a reproduction compared and how it came out, for readers who see only the top of its page.
#pragma once

#include <span>
#include <string>

#include "sim/reproduce/comparison_table.h"
#include "sim/reproduce/reproduction.h"

namespace dfrs::sim {

/// Two or three sentences: the parts; how many published cells ours is close to, as account_of() counts them, or that
/// nothing is published; and who won, if the report names winners.
std::string overview(std::span<const ComparisonTable> tables, const ReproductionReport& report);

}  // namespace dfrs::sim
