// SPDX-License-Identifier: GPL-2.0-or-later
// Exit codes of dfrs-sim and the exceptions that carry them to main(). The codes are part of the interface: they are
// listed in `dfrs-sim --help` and docs/reference/exit-codes.md.
#pragma once

#include <stdexcept>
#include <string>

#include "base/exit_code.h"

namespace dfrs::sim {

enum ExitCode : int {
  kExitOk = base::kExitOk,
  kExitInternal = base::kExitInternal,  ///< a bug in dfrs-sim: please report it
  kExitUsage = base::kExitUsage,        ///< unknown option, algorithm or subcommand; value out of range
  kExitInput = base::kExitInput,        ///< input data is invalid (the message names file and line)
  kExitIo = base::kExitIo,              ///< a file cannot be read or written (missing, no permission, disk full)
  kExitNetwork = base::kExitNetwork,    ///< a download failed, or its checksum did not match
  kExitDifference = 6,                  ///< a replay decides differently from its record
  kExitSlurm = 7,                       ///< Slurm does not answer, or refuses a request
  kExitIncomplete = 8,                  ///< Slurm's jobs have ended but simulations are missing
};

/// An error with an exit code. The message is complete: what, where (file, line, option), what was expected.
class Failure : public std::runtime_error {
 public:
  Failure(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

struct UsageError : Failure {
  explicit UsageError(const std::string& message) : Failure(kExitUsage, message) {}
};
struct InputError : Failure {
  explicit InputError(const std::string& message) : Failure(kExitInput, message) {}
};
struct IoError : Failure {
  explicit IoError(const std::string& message) : Failure(kExitIo, message) {}
};
/// Nobody reads standard output any more, as behind `| head`. The program ends without a word, as SIGPIPE ends others.
struct ReaderGone : IoError {
  explicit ReaderGone(const std::string& message) : IoError(message) {}
};
struct NetworkError : Failure {
  explicit NetworkError(const std::string& message) : Failure(kExitNetwork, message) {}
};
struct DifferenceError : Failure {
  explicit DifferenceError(const std::string& message) : Failure(kExitDifference, message) {}
};
struct SlurmError : Failure {
  explicit SlurmError(const std::string& message) : Failure(kExitSlurm, message) {}
};
struct IncompleteError : Failure {
  explicit IncompleteError(const std::string& message) : Failure(kExitIncomplete, message) {}
};

}  // namespace dfrs::sim
