// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/cli/outputs.h"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>
#include <system_error>

#include "sim/errors.h"
#include "sim/io/output_file.h"

namespace dfrs::sim {

void check_outputs_differ(std::initializer_list<std::pair<std::string_view, std::string_view>> outputs) {
  for (auto a = outputs.begin(); a != outputs.end(); ++a) {
    for (auto b = std::next(a); b != outputs.end(); ++b) {
      // Character devices are written directly, so nothing is replaced.
      std::error_code none;
      if (a->second.empty() || a->second != b->second || std::filesystem::is_character_file(a->second, none)) continue;
      throw UsageError(
          fmt::format("{} and {} both name {}; give each a file of its own", a->first, b->first, a->second));
    }
  }
}

void check_inputs_kept(std::span<const std::string> inputs,
                       std::initializer_list<std::pair<std::string_view, std::string_view>> outputs) {
  for (const auto& [option, output] : outputs) {
    std::error_code none;
    if (output.empty() || output == "-" || !std::filesystem::is_regular_file(output, none)) continue;
    for (const std::string& input : inputs) {
      if (!std::filesystem::equivalent(input, output, none) || none) continue;
      throw UsageError(
          fmt::format("{} {} is also an input, which it would replace; give another file", option, output));
    }
  }
}

void print(std::string_view text) { or_throw(write_file("-", text)); }

}  // namespace dfrs::sim
