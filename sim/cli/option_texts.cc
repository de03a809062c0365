// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/cli/option_texts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/campaign/origin.h"

namespace dfrs::sim {
namespace {

// The chosen options as on a command line, with their values or else their defaults. As this goes through the parser's
// own list, no option can be forgotten. Results do not depend on --ca-file.
template <typename Chosen>
std::string text_of_options(const CLI::App& app, const Chosen& chosen, const ResolvedOptions& resolved) {
  std::string text;
  const auto add = [&](const std::string& word) { text += (text.empty() ? "" : " ") + shell_word(word); };
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_lnames().empty() || option->get_positional() || option->check_lname("ca-file")) continue;
    const std::string name = "--" + option->get_lnames().front();
    if (!chosen(*option, name)) continue;
    const auto found = resolved.find(name);
    if (found != resolved.end() && found->second) {
      add(found->second->empty() ? name : name + "=" + *found->second);
    } else if (option->count() > 0 && option->get_items_expected_max() == 0) {
      add(name);
    } else if (option->count() > 0 && option->get_delimiter() != '\0') {
      add(fmt::format("{}={}", name, fmt::join(option->results(), std::string(1, option->get_delimiter()))));
    } else if (option->count() > 0) {
      for (const std::string& value : option->results()) add(name + "=" + value);
    } else if (found == resolved.end() && !option->get_default_str().empty()) {
      std::string value = option->get_default_str();
      // The parser shows the default of a list in brackets.
      if (value.front() == '[' && value.back() == ']') value = value.substr(1, value.size() - 2);
      add(name + "=" + value);
    }
  }
  return text;
}

}  // namespace

std::string options_text(const CLI::App& app, std::string_view group, const ResolvedOptions& resolved) {
  return text_of_options(
      app, [&](const CLI::Option& option, const std::string&) { return option.get_group() == group; }, resolved);
}

std::string own_options(const CLI::App& app, std::initializer_list<std::string_view> left_out) {
  return own_options(app, std::span(left_out.begin(), left_out.size()));
}

std::string own_options(const CLI::App& app, std::span<const std::string_view> left_out) {
  return own_options(app, left_out, {});
}

std::string own_options(const CLI::App& app, std::span<const std::string_view> left_out,
                        const ResolvedOptions& resolved) {
  const auto chosen = [&](const CLI::Option& option, const std::string& name) {
    return option.get_group() != kWorkloadGroup && option.get_group() != kSimulationGroup && name != "--help" &&
           std::find(left_out.begin(), left_out.end(), name) == left_out.end();
  };
  return text_of_options(app, chosen, resolved);
}

}  // namespace dfrs::sim
