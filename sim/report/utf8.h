// SPDX-License-Identifier: GPL-2.0-or-later
// Text from results, made safe to show and measured for alignment.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dfrs::sim {

/// `text` as valid UTF-8 without anything that acts instead of showing: control characters, line breaks, directional
/// overrides and bytes that are no UTF-8 become U+FFFD. O(length).
std::string printable(std::string_view text);

/// Columns that `text` takes on a terminal: 0 for combining marks, 2 for East Asian wide characters and emoji, else 1.
/// Takes printable() text; each byte that is no UTF-8 counts 1. O(length).
std::size_t display_width(std::string_view text);

/// `text` with &, <, >, " and ' as entities: for content and attributes of HTML and SVG.
std::string html_escaped(std::string_view text);

/// `text` with a backslash before what Markdown would take as markup: names of algorithms hold "*".
std::string markdown_escaped(std::string_view text);

/// `text` broken between words into lines of `width` columns at most where words allow it, those after the first
/// indented; with a line break at its end.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

}  // namespace dfrs::sim
