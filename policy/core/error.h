// SPDX-License-Identifier: GPL-2.0-or-later
// Errors as values: the policy core throws nothing across its border.
#pragma once

#include <string>
#include <utility>

namespace dfrs {

enum class ErrorCode {
  bad_algorithm,  ///< no such algorithm name, or parts that do not go together
  bad_option,     ///< an option out of range, or missing for this algorithm
  bad_view,       ///< the view or its events contradict themselves
  bad_decision,   ///< a policy made a decision that breaks a capacity or a flag; nothing was changed
  out_of_memory,  ///< an allocation failed; nothing was changed
  internal,       ///< anything else that should not happen
};

struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;
};

}  // namespace dfrs
