// SPDX-License-Identifier: GPL-2.0-or-later
// What subcommands write: which files they may, and standard output.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace dfrs::sim {

/// Refuses two outputs with one name, of which the later would replace the earlier. `outputs`: pairs of option and
/// file, with "" for an option that is not given. Errors: UsageError.
void check_outputs_differ(std::initializer_list<std::pair<std::string_view, std::string_view>> outputs);

/// Refuses an output that is one of the inputs, which it would replace. `outputs` as above. Errors: UsageError.
void check_inputs_kept(std::span<const std::string> inputs,
                       std::initializer_list<std::pair<std::string_view, std::string_view>> outputs);

/// Writes text to standard output. Errors: IoError (a closed pipe, a full disk).
void print(std::string_view text);

}  // namespace dfrs::sim
