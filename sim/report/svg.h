// SPDX-License-Identifier: GPL-2.0-or-later
// What all figures of reports have in common: colours, names that gnuplot does not get to see, SVG that fits a page.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace dfrs::sim {

/// Okabe and Ito's colours, the light ones darkened: told apart by colour-blind readers, visible on white and on black.
inline constexpr std::array<std::string_view, 8> kChartColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                               "#c28e00", "#56a0d3", "#8c6bb1", "#7f7f7f"};
inline constexpr std::array<int, 8> kChartPoints{7, 5, 9, 13, 11, 4, 6, 8};  ///< gnuplot's point types

/// What a script for gnuplot says in place of the k-th name, as wide as the name so that gnuplot leaves the right room.
/// Placeholders differ, none is a part of another, and none occurs in gnuplot's output otherwise.
std::string label_placeholder(std::size_t k, std::string_view name);

/// gnuplot's commands for a legend below the figure that has these names, and how much height it takes.
struct Legend {
  std::string commands;
  int height = 0;
};
Legend legend_below(std::span<const std::string> names);

/// gnuplot's SVG as part of a page: no prologue, ids that start with `prefix`, black that follows the page's colour of
/// text, `title` as its name, and `names` (escaped) for their placeholders. Error: it is no SVG, in one sentence.
tl::expected<std::string, std::string> embedded_svg(std::string svg, const std::string& prefix,
                                                    const std::string& title, std::span<const std::string> names);

}  // namespace dfrs::sim
