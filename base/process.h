// SPDX-License-Identifier: GPL-2.0-or-later
// Another program's run to its end, and what it said.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace dfrs::base {

struct Program {
  /// The first is a path, or a name to be looked for in PATH.
  std::vector<std::string> words;
  /// What it reads from its standard input.
  std::string input = {};
  /// "NAME=VALUE" each; without: this program's environment.
  std::optional<std::vector<std::string>> environment = {};
  /// It is killed if it runs longer; without: it may take as long as it likes.
  std::optional<std::chrono::seconds> patience = {};
};

struct ProgramOutcome {
  int exit_code = 0;  ///< 128 + N: ended by signal N
  std::string out;
  std::string err;
};

struct ProgramError {
  enum class Kind { not_found, failed, too_slow };
  Kind kind;
  std::string message;  ///< complete, with the program's name
};

tl::expected<ProgramOutcome, ProgramError> run_program(const Program& program);

}  // namespace dfrs::base
