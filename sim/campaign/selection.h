// SPDX-License-Identifier: GPL-2.0-or-later
// Some of a campaign's simulations, as a text of one line: "0-13,25".
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dfrs::sim {

/// `numbers` ascending, none twice, not empty.
std::string selection_text(std::span<const std::size_t> numbers);

/// The numbers, ascending. Errors: UsageError for what is no such text, is not ascending or not below `count`.
std::vector<std::size_t> parse_selection(std::string_view text, std::size_t count);

/// Splits `numbers` into as many parts of neighbours as asked, their lengths differing by at most one; into fewer if
/// there are not as many numbers, so that none is empty.
std::vector<std::span<const std::size_t>> in_parts(std::span<const std::size_t> numbers, std::size_t parts);

}  // namespace dfrs::sim
