// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the name that a user who mistyped one most likely meant.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace dfrs {

/// The lower-case form of an ASCII letter; other characters unchanged. Unlike std::tolower, it reads no locale.
constexpr char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Number of letters to change, insert or delete to turn one name into the other, regardless of case. O(|a| |b|).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate at the smallest edit distance; empty if there are no candidates. Among equals, the first that only has
/// letters that `name` lacks ("GreedyPM*" and not "GreedyP*" for "GredyPM"), or else the first.
std::string_view nearest_name(std::string_view name, std::span<const std::string> candidates);

}  // namespace dfrs
