// SPDX-License-Identifier: GPL-2.0-or-later
// The figures of a report, drawn by gnuplot as SVG to stand inside an HTML page.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "sim/report/summary.h"

namespace dfrs::sim {

struct Chart {
  std::string title;    ///< plain text
  std::string caption;  ///< how to read it, plain text
  std::string svg;      ///< an <svg> element: ids start with a prefix of the chart, text and axes are in currentColor
};

/// Degradation from bound per algorithm (distribution over instances), the same against offered load if loads differ
/// (RR-7659, figure 1), underutilization, pauses and moves per job. `gnuplot` as of run_gnuplot.
/// Error: why there are no charts, in one sentence.
///
/// gnuplot is given numbers and labels of the program's own only; names of algorithms replace those labels in its
/// output, escaped.
tl::expected<std::vector<Chart>, std::string> draw_charts(const std::vector<ResultRow>& rows,
                                                          const CampaignSummary& summary,
                                                          const std::string& gnuplot = {});

}  // namespace dfrs::sim
