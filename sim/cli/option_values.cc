// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/cli/option_values.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "policy/triage/options.h"

namespace dfrs::sim {
namespace {

constexpr std::string_view kByMemory = "memory/";

// Nothing unless all of `text` is a number from `least` to `most`.
std::optional<double> number_within(std::string_view text, double least, double most) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (whole && std::isfinite(value) && value >= least && value <= most) return value;
  return std::nullopt;
}

struct ByMemory {
  double rate = 0;  // MiB/s
  Seconds restart = 0;
};

// Nothing for a penalty in seconds.
std::optional<ByMemory> by_memory(std::string_view text) {
  if (!text.starts_with(kByMemory)) return std::nullopt;
  text.remove_prefix(kByMemory.size());
  // The whole first: the rate may itself have a plus, as in 1e+3.
  if (const auto rate = number_within(text, 1e-3, 1e9)) return ByMemory{*rate, 0};
  const std::size_t plus = text.rfind('+');
  if (plus == std::string_view::npos) return std::nullopt;
  const auto rate = number_within(text.substr(0, plus), 1e-3, 1e9);
  const auto restart = number_within(text.substr(plus + 1), 0, 1e9);
  return rate && restart ? std::optional(ByMemory{*rate, *restart}) : std::nullopt;
}

}  // namespace

base::Rule penalty_rule() {
  return {[](const std::string& text) {
            if (by_memory(text) || number_within(text, 0, 1e9)) return std::string();
            return fmt::format(
                "'{}' is not a number of seconds from 0 to 1000000000, nor memory/RATE or memory/RATE+SECONDS with a "
                "rate from 0.001 to 1000000000 MiB/s",
                text);
          },
          "PENALTY"};
}

void set_penalty(const std::string& text, SimOptions& options) {
  const ByMemory memory = by_memory(text).value_or(ByMemory{});
  options.swap_rate = memory.rate;
  options.restart = memory.restart;
  if (options.swap_rate > 0) return;  // each job's view has its own
  options.penalty = number_within(text, 0, 1e9).value();
  options.engine.of<TriageOptions>().penalty = options.penalty;
}

std::string penalty_text(const SimOptions& options) {
  if (!(options.swap_rate > 0)) return fmt::format("{}", options.penalty);
  const std::string restart = options.restart > 0 ? fmt::format("+{}", options.restart) : "";
  return fmt::format("{}{}{}", kByMemory, options.swap_rate, restart);
}

std::string penalty_words(const SimOptions& options) {
  if (!(options.swap_rate > 0)) return fmt::format("{} s", options.penalty);
  return fmt::format("memory at {} MiB/s{}", options.swap_rate,
                     options.restart > 0 ? fmt::format(" and {} s", options.restart) : "");
}

base::Rule swap_size() {
  return {[](const std::string& text) {
            const auto size = record::parse_swap(text);
            return size ? std::string() : size.error();
          },
          "SWAP"};
}

std::string swap_words(const record::SwapSize& swap) {
  if (!swap.limited()) return "unlimited";
  if (swap.of == record::SwapSize::Of::node) return fmt::format("{} MiB a node", swap.amount);
  return swap.amount == 1 ? "as much as memory" : fmt::format("{} of memory", swap.amount);
}

base::Rule number_in(double least, double most) {
  return {[=](const std::string& text) {
            if (number_within(text, least, most)) return std::string();
            return fmt::format("'{}' is not a number from {} to {}", text, least, most);
          },
          fmt::format("NUMBER in [{} - {}]", least, most)};
}

base::Rule whole_number_in(std::uint64_t least, std::uint64_t most) {
  return {[=](const std::string& text) {
            std::uint64_t value = 0;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            const bool whole = error == std::errc{} && end == text.data() + text.size();
            if (whole && value >= least && value <= most) return std::string();
            return fmt::format("'{}' is not a whole number from {} to {}", text, least, most);
          },
          fmt::format("INTEGER in [{} - {}]", least, most)};
}

}  // namespace dfrs::sim
