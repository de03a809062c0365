// SPDX-License-Identifier: GPL-2.0-or-later
// Makes text from outside safe to show, and measures it for alignment.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dfrs::base {

/// `text` as valid UTF-8 that cannot control a terminal: control characters, line breaks, directional overrides and
/// bytes that are not UTF-8 become `replacement` (U+FFFD). O(length).
std::string printable(std::string_view text, std::string_view replacement = "\xEF\xBF\xBD");

/// Terminal columns that `text` takes: 0 for combining marks, 2 for East Asian wide characters and emoji, else 1. Meant
/// for printable() text; a byte that is not UTF-8 counts as 1. O(length).
std::size_t display_width(std::string_view text);

enum class Align { left, right };

/// `text` padded with blanks to `width` columns; unchanged if it is wider.
std::string padded(std::string_view text, std::size_t width, Align align);

/// The longest prefix of `text` that takes at most `width` columns.
std::string_view fitting(std::string_view text, std::size_t width);

}  // namespace dfrs::base
