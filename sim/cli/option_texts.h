// SPDX-License-Identifier: GPL-2.0-or-later
// Options as on a command line, from the parser's own list, so that no option can be forgotten.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/command_line.h"

namespace dfrs::sim {

/// Groups of options in the help.
inline constexpr const char* kWorkloadGroup = "Workload";
inline constexpr const char* kSimulationGroup = "Simulation";

/// What replaces the value of an option, by its long name, where results name it: nothing leaves out its default.
using ResolvedOptions = std::map<std::string, std::optional<std::string>, std::less<>>;

/// The options of a group, with their values or else their defaults.
std::string options_text(const base::Command& app, std::string_view group, const ResolvedOptions& resolved);

/// The options that only this subcommand has, as on a command line, with their values or else their defaults. All but
/// those `left_out`, on which results do not depend, so that a new one is named.
std::string own_options(const base::Command& app, std::initializer_list<std::string_view> left_out);
std::string own_options(const base::Command& app, std::span<const std::string_view> left_out);
std::string own_options(const base::Command& app, std::span<const std::string_view> left_out,
                        const ResolvedOptions& resolved);

}  // namespace dfrs::sim
