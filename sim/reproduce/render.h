// SPDX-License-Identifier: GPL-2.0-or-later
// Renders a reproduction's report as text for a terminal, CSV, Markdown and HTML.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/campaign/origin.h"
#include "sim/report/charts.h"
#include "sim/reproduce/comparison_table.h"

namespace dfrs::sim {

/// How the results were made, for the renderings.
struct RunDescription {
  std::string paper;
  std::vector<std::string> notes;  ///< on the whole run; shown at the end
  ResultOrigin origin = {};        ///< `source` and `sha256`: of the logs, separated by "; "
  std::string command = {};        ///< that repeats the run
  std::size_t simulations = 0;     ///< how many made the cells, those of earlier runs included; 0: not known
  std::string overview = {};       ///< what overview() says; pages show it at the top
};

/// Tables at most 130 characters wide. Each column of the paper becomes three (ours, paper, ratio), or one if the paper
/// has no values. Columns that do not fit follow below, with the row names repeated.
std::string text_comparison(std::span<const ComparisonTable> tables, const RunDescription& run);

/// "table,row,column,published,measured,ratio" and the columns of an origin, a line per cell with all digits; missing
/// values are empty.
std::string csv_comparison(std::span<const ComparisonTable> tables, const ResultOrigin& origin);

/// Name and value of what made the run: the program, the logs, the options and the command. Empty if not known.
std::vector<std::pair<std::string, std::string>> what_made(const RunDescription& run);

/// A chart per plot, by the name of its part.
using PartCharts = std::vector<std::pair<std::string, Chart>>;

/// Draws the parts that have a plot. Errors: why there are no charts, in one sentence. `gnuplot`: see run_gnuplot.
tl::expected<PartCharts, std::string> draw_plots(std::span<const ComparisonTable> tables,
                                                 const std::string& gnuplot = {});

/// One cell per value: "6.3 (6.9, 0.92)". `images`: files of the parts' charts.
std::string markdown_comparison(std::span<const ComparisonTable> tables, const RunDescription& run,
                                const std::vector<std::pair<std::string, std::string>>& images = {});

/// A self-contained page with embedded charts, or the reason why there are none.
std::string html_comparison(std::span<const ComparisonTable> tables, const RunDescription& run,
                            const tl::expected<PartCharts, std::string>& charts);

}  // namespace dfrs::sim
