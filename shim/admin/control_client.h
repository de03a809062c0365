// SPDX-License-Identifier: GPL-2.0-or-later
// Asks a running controller, as dfrsctl does.
#pragma once

#include <functional>
#include <string>
#include <tl/expected.hpp>

#include "base/exit_code.h"
#include "shim/admin/controller_address.h"
#include "shim/admin/status_json.h"

namespace dfrs::shim::ctl {

/// Of dfrsctl; docs/reference/exit-codes.md lists them.
enum ExitCode : int {
  kOk = base::kExitOk,
  kInternal = base::kExitInternal,
  kUsage = base::kExitUsage,
  kInput = base::kExitInput,
  kIo = base::kExitIo,
  kUnreachable = base::kExitNetwork,
  kRefused = 6,
  kNotDone = 7,
};

struct Failure {
  ExitCode code;
  std::string message;
};

template <typename Value>
using Result = tl::expected<Value, Failure>;

inline tl::unexpected<Failure> failure(ExitCode code, std::string message) {
  return tl::unexpected(Failure{code, std::move(message)});
}

struct Question {
  std::string method;
  std::string target;
  std::string body = {};
};

struct AskOptions {
  AddressOptions address;
  unsigned wait = 10;  ///< seconds for which to try again while slurmctld does not listen
};

/// The controller's answer. Tries the hosts one after the other: a backup controller may have taken over. Says on
/// standard error what is wrong in dfrs.conf, and that it tries again.
Result<Json> ask_controller(const AskOptions& options, const Question& question);

}  // namespace dfrs::shim::ctl
