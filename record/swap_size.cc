// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/swap_size.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>

#include "record/json_text.h"

namespace dfrs::record {
namespace {

constexpr std::string_view kUnlimited = "unlimited";
constexpr std::string_view kOfMemory = "memory";
constexpr std::int64_t kMostMib = std::int64_t{1} << 40;
constexpr double kMostOfMemory = 1000;

// Reads all of `text`.
template <class Number>
bool read(std::string_view text, Number& number) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  return code == std::errc{} && end == text.data() + text.size();
}

}  // namespace

RigidAmount SwapSize::on(RigidAmount memory) const {
  return static_cast<RigidAmount>(std::floor(of == Of::memory ? amount * static_cast<double>(memory) : amount));
}

std::string swap_text(const SwapSize& swap) {
  if (!swap.limited()) return std::string(kUnlimited);
  if (swap.of == SwapSize::Of::node) return fmt::format("{}", static_cast<std::int64_t>(swap.amount));
  std::string text(kOfMemory);
  if (swap.amount != 1) {
    text += ':';
    append_number(text, swap.amount);
  }
  return text;
}

tl::expected<SwapSize, std::string> parse_swap(std::string_view text) {
  if (text == kUnlimited) return SwapSize{};
  if (text == kOfMemory) return SwapSize{SwapSize::Of::memory, 1};
  const auto wrong = [&](std::string_view what) {
    return tl::unexpected(fmt::format("'{}': {}expected {}", text, what, kSwapSizes));
  };
  if (text.starts_with(kOfMemory) && text.size() > kOfMemory.size() && text[kOfMemory.size()] == ':') {
    double part = 0;
    if (!read(text.substr(kOfMemory.size() + 1), part) || !(part >= 0 && part <= kMostOfMemory)) {
      return wrong("PART, of the memory of a node, is a number from 0 to 1000; ");
    }
    return SwapSize{SwapSize::Of::memory, part};
  }
  std::int64_t mib = 0;
  if (!read(text, mib) || mib < 0 || mib > kMostMib) return wrong("");
  return SwapSize{SwapSize::Of::node, static_cast<double>(mib)};
}

}  // namespace dfrs::record
