// SPDX-License-Identifier: GPL-2.0-or-later
// A waterfall: how a value gets from one row of a table to the next.
#pragma once

#include <string>

#include "sim/reproduce/comparison_table.h"

namespace dfrs::sim {

/// Draws the first column of the table on a logarithmic scale as an SVG for a page. Each bar leads from the value of
/// the row that it changes (Plot::leads_from) to its own; the first stands on the axis. Values must be above 0.
std::string waterfall_svg(const ComparisonTable& table);

}  // namespace dfrs::sim
