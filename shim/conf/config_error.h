// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dfrs::shim {

/// One error in a dfrs.conf.
struct ConfigError {
  std::string file;
  std::size_t line = 0;     ///< 0: none in particular (a key is missing, the file cannot be read)
  std::string key;          ///< empty: none in particular
  std::string message;      ///< what is wrong and what was expected
  bool unreadable = false;  ///< the file itself could not be read

  /// "dfrs.conf:12: Period: ...", one line.
  std::string text() const;
};

/// All errors of a file, by line; never empty.
using ConfigErrors = std::vector<ConfigError>;

}  // namespace dfrs::shim
