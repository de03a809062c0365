// SPDX-License-Identifier: GPL-2.0-or-later
// Starts processes for a keeper: the user's program in pid and mount namespaces of its own, and criu. The calling
// process must have one thread.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "shim/checkpoint/caller.h"
#include "shim/checkpoint/launch.h"

namespace dfrs::shim {

struct StartError {
  int exit_code = 255;  ///< for dfrs-run: 127 and 126 as shells have them
  std::string message;
};

/// Starts the program as a child of dfrs-init (`init`: its path) as the caller would have started it. Returns the id of
/// dfrs-init, a child of this process and the first process of the new namespaces.
tl::expected<pid_t, StartError> start_program(const Caller& caller, const LaunchParts& parts, const std::string& init);

/// Starts a command with `output` as standard output and error. `prepare` runs in the child, before the command; if it
/// returns an error, the command does not run. Error: one line.
tl::expected<pid_t, std::string> start_command(const std::vector<std::string>& words, int output,
                                               const std::function<tl::expected<void, std::string>()>& prepare);

}  // namespace dfrs::shim
