// SPDX-License-Identifier: GPL-2.0-or-later
// A selection of a campaign's simulations as one line of text: "0-13,25".
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/errors.h"

namespace dfrs::sim {

/// The text of `numbers`, which must be ascending, distinct and not empty.
std::string selection_text(std::span<const std::size_t> numbers);

/// The numbers in `text`, ascending. Errors: kExitUsage for a malformed text, or numbers that do not ascend or are not
/// below `count`.
Result<std::vector<std::size_t>> parse_selection(std::string_view text, std::size_t count);

/// Splits `numbers` into contiguous parts whose lengths differ by at most one; into fewer than `parts` if there are
/// fewer numbers, so that none is empty.
std::vector<std::span<const std::size_t>> in_parts(std::span<const std::size_t> numbers, std::size_t parts);

}  // namespace dfrs::sim
