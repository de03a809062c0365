// SPDX-License-Identifier: GPL-2.0-or-later
// The charts of a report, drawn by gnuplot as SVG for embedding in an HTML page.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "sim/report/summary.h"

namespace dfrs::sim {

struct Chart {
  std::string title;    ///< plain text
  std::string caption;  ///< how to read it; plain text
  std::string svg;      ///< an <svg> element; ids have a prefix per chart, text and axes use currentColor
};

/// Draws degradation from bound per algorithm (distribution over instances), the same against offered load if loads
/// differ (RR-7659, figure 1), underutilization, and pauses and moves per job. `gnuplot`: see run_gnuplot. Errors: why
/// there are no charts, in one sentence.
///
/// gnuplot gets only numbers and labels made by this program. Names of algorithms replace those labels in its output,
/// escaped.
tl::expected<std::vector<Chart>, std::string> draw_charts(const std::vector<ResultRow>& rows,
                                                          const CampaignSummary& summary,
                                                          const std::string& gnuplot = {});

}  // namespace dfrs::sim
