// SPDX-License-Identifier: GPL-2.0-or-later
// Which of several names someone who mistyped one most likely meant.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace dfrs {

/// Letters to change, add or take away to make one of the other, case apart. O(|a| |b|).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate of least edit distance, the first of equals; empty if there are none.
std::string_view nearest_name(std::string_view name, std::span<const std::string> candidates);

}  // namespace dfrs
