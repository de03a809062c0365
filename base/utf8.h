// SPDX-License-Identifier: GPL-2.0-or-later
// Text from outside, made safe to show and measured for alignment.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dfrs::base {

/// `text` as valid UTF-8 without anything that acts instead of showing: control characters, line breaks, directional
/// overrides and bytes that are no UTF-8 become `replacement` (U+FFFD). O(length).
std::string printable(std::string_view text, std::string_view replacement = "\xEF\xBF\xBD");

/// Columns that `text` takes on a terminal: 0 for combining marks, 2 for East Asian wide characters and emoji, else 1.
/// Takes printable() text; each byte that is no UTF-8 counts 1. O(length).
std::size_t display_width(std::string_view text);

enum class Align { left, right };

/// `text` with blanks up to `width` columns; as it is if it is wider.
std::string padded(std::string_view text, std::size_t width, Align align);

/// The longest beginning of `text` that takes at most `width` columns.
std::string_view fitting(std::string_view text, std::size_t width);

}  // namespace dfrs::base
