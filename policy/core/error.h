// SPDX-License-Identifier: GPL-2.0-or-later
// Errors as values: no exception leaves the policy core.
#pragma once

#include <string>
#include <utility>

namespace dfrs {

enum class ErrorCode {
  bad_algorithm,  ///< no such algorithm name, or parts that do not go together
  bad_option,     ///< an option that is out of range
  bad_view,       ///< the view and the events are inconsistent
  bad_decision,   ///< a policy violated a capacity or a job's flag; nothing was changed
  out_of_memory,  ///< an allocation failed; nothing was changed
  internal,       ///< anything else that should not happen
};

struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;
};

}  // namespace dfrs
