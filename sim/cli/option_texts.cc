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
std::string text_of_options(const base::Command& app, const Chosen& chosen, const ResolvedOptions& resolved) {
  std::string text;
  const auto add = [&](const std::string& word) { text += (text.empty() ? "" : " ") + shell_word(word); };
  for (const base::Option& option : app.options()) {
    if (option.long_names().empty() || option.is_positional()) continue;
    const std::string name = "--" + option.long_names().front();
    if (name == "--ca-file" || !chosen(option, name)) continue;
    const auto found = resolved.find(name);
    if (found != resolved.end() && found->second) {
      add(found->second->empty() ? name : name + "=" + *found->second);
    } else if (option.count() > 0 && !option.takes_value()) {
      add(name);
    } else if (option.count() > 0 && option.list_delimiter()) {
      add(fmt::format("{}={}", name, fmt::join(option.given_values(), std::string(1, *option.list_delimiter()))));
    } else if (option.count() > 0) {
      for (const std::string& value : option.given_values()) add(name + "=" + value);
    } else if (found == resolved.end() && !option.default_text().empty()) {
      std::string value = option.default_text();
      // The parser shows the default of a list in brackets.
      if (value.front() == '[' && value.back() == ']') value = value.substr(1, value.size() - 2);
      add(name + "=" + value);
    }
  }
  return text;
}

}  // namespace

std::string options_text(const base::Command& app, std::string_view group, const ResolvedOptions& resolved) {
  return text_of_options(
      app, [&](const base::Option& option, const std::string&) { return option.group_name() == group; }, resolved);
}

std::string own_options(const base::Command& app, std::initializer_list<std::string_view> left_out) {
  return own_options(app, std::span(left_out.begin(), left_out.size()));
}

std::string own_options(const base::Command& app, std::span<const std::string_view> left_out) {
  return own_options(app, left_out, {});
}

std::string own_options(const base::Command& app, std::span<const std::string_view> left_out,
                        const ResolvedOptions& resolved) {
  const auto chosen = [&](const base::Option& option, const std::string& name) {
    return option.group_name() != kWorkloadGroup && option.group_name() != kSimulationGroup && name != "--help" &&
           std::find(left_out.begin(), left_out.end(), name) == left_out.end();
  };
  return text_of_options(app, chosen, resolved);
}

}  // namespace dfrs::sim
