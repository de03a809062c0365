// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/campaign/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "sim/workload/text_lines.h"

namespace dfrs::sim {
namespace {

std::optional<std::size_t> whole_number(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::string selection_text(std::span<const std::size_t> numbers) {
  std::string text;
  for (std::size_t k = 0; k < numbers.size();) {
    std::size_t last = k;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += last == k ? fmt::format("{}", numbers[k]) : fmt::format("{}-{}", numbers[k], numbers[last]);
    k = last + 1;
  }
  return text;
}

Result<std::vector<std::size_t>> parse_selection(std::string_view text, std::size_t count) {
  std::vector<std::size_t> numbers;
  const auto take = [&](std::string_view range) -> Result<void> {
    const std::size_t dash = range.find('-');
    const auto first = whole_number(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : whole_number(range.substr(dash + 1));
    if (!first || !last || *last < *first) {
      return usage_error(
          fmt::format("'{}' is not a list of simulations; expected numbers and ranges as in 0-13,25", range));
    }
    if (*last >= count) {
      return usage_error(fmt::format("'{}': there are {} simulations, counted from 0", range, count));
    }
    if (!numbers.empty() && *first <= numbers.back()) {
      return usage_error(fmt::format("'{}': the numbers of simulations must ascend", range));
    }
    for (std::size_t number = *first; number <= *last; ++number) numbers.push_back(number);
    return {};
  };
  Result<void> taken;
  each_item(text, [&](std::string_view range) {
    if (taken) taken = take(range);
  });
  return taken.map([&] { return std::move(numbers); });
}

std::vector<std::span<const std::size_t>> in_parts(std::span<const std::size_t> numbers, std::size_t parts) {
  std::vector<std::span<const std::size_t>> out;
  for (parts = std::min(parts, numbers.size()); parts > 0; --parts) {
    const std::size_t length = (numbers.size() + parts - 1) / parts;
    out.push_back(numbers.first(length));
    numbers = numbers.subspan(length);
  }
  return out;
}

}  // namespace dfrs::sim
