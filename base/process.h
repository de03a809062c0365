// SPDX-License-Identifier: GPL-2.0-or-later
// Runs another program to its end and collects its output.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace dfrs::base {

struct Program {
  /// The command line, at least one word. The first is a path, or a name to look up in PATH.
  std::vector<std::string> words;
  /// Its standard input.
  std::string input = {};
  /// Its environment, as "NAME=VALUE"; nullopt: that of this process.
  std::optional<std::vector<std::string>> environment = {};
  /// It is killed when it runs longer than this; nullopt: no limit.
  std::optional<std::chrono::seconds> patience = {};
  /// SIGPIPE is as in this process, which may ignore it; false: it ends the program, as in a shell.
  bool keeps_sigpipe = false;
};

struct ProgramOutcome {
  int exit_code = 0;  ///< 128 + N if signal N ended it
  std::string out;
  std::string err;
};

struct ProgramError {
  enum class Kind { not_found, failed, too_slow };
  Kind kind;
  std::string message;  ///< complete, with the program's name
};

/// Runs the program and waits for its end. Its output may be of any size. A program that ends with an exit code other
/// than 0 is no error.
tl::expected<ProgramOutcome, ProgramError> run_program(const Program& program);

}  // namespace dfrs::base
