// SPDX-License-Identifier: GPL-2.0-or-later
// Exit codes of dfrs-sim and the exceptions that carry them to main(). The codes are part of the interface: they are
// listed in `dfrs-sim --help` and docs/reference/exit-codes.md.
#pragma once

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <tl/expected.hpp>

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

/// What a library of dfrs-sim or of the studies returns instead of its value. The message is complete: what, where
/// (file, line, option), what was expected.
struct Error {
  ExitCode code = kExitInternal;
  std::string message;
  /// Nobody reads standard output any more, as behind `| head`. The program ends without a word, as SIGPIPE ends
  /// others.
  bool reader_gone = false;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> error(ExitCode code, std::string message) {
  return tl::unexpected<Error>(Error{.code = code, .message = std::move(message)});
}
inline tl::unexpected<Error> usage_error(std::string message) { return error(kExitUsage, std::move(message)); }
inline tl::unexpected<Error> input_error(std::string message) { return error(kExitInput, std::move(message)); }
inline tl::unexpected<Error> io_error(std::string message) { return error(kExitIo, std::move(message)); }
inline tl::unexpected<Error> network_error(std::string message) { return error(kExitNetwork, std::move(message)); }

/// An error with an exit code, as commands throw it.
class Failure : public std::runtime_error {
 public:
  Failure(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  explicit Failure(const Error& error)
      : std::runtime_error(error.message), code_(error.code), reader_gone_(error.reader_gone) {}
  ExitCode code() const { return code_; }
  bool reader_gone() const { return reader_gone_; }

 private:
  ExitCode code_;
  bool reader_gone_ = false;
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
struct DifferenceError : Failure {
  explicit DifferenceError(const std::string& message) : Failure(kExitDifference, message) {}
};
struct SlurmError : Failure {
  explicit SlurmError(const std::string& message) : Failure(kExitSlurm, message) {}
};
struct IncompleteError : Failure {
  explicit IncompleteError(const std::string& message) : Failure(kExitIncomplete, message) {}
};

/// For commands: the value, or the error as a Failure. `E` is Error, or one derived from it.
template <class T, class E>
T or_throw(tl::expected<T, E>&& result) {
  if (!result) throw Failure(static_cast<const Error&>(result.error()));
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace dfrs::sim
