// SPDX-License-Identifier: GPL-2.0-or-later
// A reproduction's report as text for a terminal, CSV, Markdown and HTML.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/report/charts.h"
#include "sim/reproduce/comparison_table.h"

namespace dfrs::sim {

/// What the renderings say in front: how the figures were made.
struct RunDescription {
  std::string paper;
  std::vector<std::string> notes;  ///< of the whole run, at the end
};

/// Tables of at most 130 columns: each column of the paper as three (ours, paper, ratio), or one where the paper has no
/// figures; columns that do not fit beside the others follow below, with the rows' names again.
std::string text_comparison(std::span<const ComparisonTable> tables, const RunDescription& run);

/// "table,row,column,published,measured,ratio", a line per cell with all digits; nothing where there is no figure.
std::string csv_comparison(std::span<const ComparisonTable> tables);

/// A figure per plot, by the name of its part.
using PartCharts = std::vector<std::pair<std::string, Chart>>;

/// Draws the parts that have a plot. Error: why there are no figures, in one sentence. `gnuplot` as of run_gnuplot.
tl::expected<PartCharts, std::string> draw_plots(std::span<const ComparisonTable> tables,
                                                 const std::string& gnuplot = {});

/// One cell per figure: "6.3 (6.9, 0.92)". `images`: file of a part's figure, for those that have one.
std::string markdown_comparison(std::span<const ComparisonTable> tables, const RunDescription& run,
                                const std::vector<std::pair<std::string, std::string>>& images = {});

/// One page that needs nothing else, figures inside; where they cannot be drawn it says why.
std::string html_comparison(std::span<const ComparisonTable> tables, const RunDescription& run,
                            const tl::expected<PartCharts, std::string>& charts);

}  // namespace dfrs::sim
