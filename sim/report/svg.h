// SPDX-License-Identifier: GPL-2.0-or-later
// Common to all charts of reports: colours, placeholders for names, and SVG for embedding in a page.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace dfrs::sim {

/// Okabe and Ito's colours with the light ones darkened: distinct for colour-blind readers, visible on white and on
/// black.
inline constexpr std::array<std::string_view, 8> kChartColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                               "#c28e00", "#56a0d3", "#8c6bb1", "#7f7f7f"};
inline constexpr std::array<int, 8> kChartPoints{7, 5, 9, 13, 11, 4, 6, 8};  ///< gnuplot's point types

/// A placeholder for the k-th name in a gnuplot script, as wide as the name so that gnuplot reserves the right space.
/// Placeholders are distinct, none is part of another, and none occurs elsewhere in gnuplot's output.
std::string label_placeholder(std::size_t k, std::string_view name);

/// gnuplot commands for a legend with these names below the chart, and the height it takes.
struct Legend {
  std::string commands;
  int height = 0;
};
Legend legend_below(std::span<const std::string> names);

/// gnuplot's SVG prepared for a page: no prologue, ids prefixed with `prefix`, black replaced by the page's text
/// colour, `title` as its title, and `names` (escaped) for their placeholders. Errors: not an SVG, in one sentence.
tl::expected<std::string, std::string> embedded_svg(std::string svg, const std::string& prefix,
                                                    const std::string& title, std::span<const std::string> names);

}  // namespace dfrs::sim
