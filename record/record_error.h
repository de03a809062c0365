// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

namespace dfrs::record {

/// Why a record cannot be read or replayed.
struct RecordError {
  std::string message;      ///< "FILE:LINE: what was found, what was expected"
  bool unreadable = false;  ///< the file cannot be read at all, for example for lack of permission
};

}  // namespace dfrs::record
