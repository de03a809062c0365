// SPDX-License-Identifier: GPL-2.0-or-later
// Another program's run to its end, and what it said.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace dfrs::sim {

struct ProgramOutcome {
  int exit_code = 0;  ///< 128 + N: ended by signal N
  std::string out;
  std::string err;
};

/// Runs `words`, the first a path or a name to be looked for in PATH, with this program's environment and no standard
/// input; waits for its end however long that takes. Nothing if there is no such program. Errors: IoError where
/// processes cannot be started.
std::optional<ProgramOutcome> run_program(const std::vector<std::string>& words);

}  // namespace dfrs::sim
