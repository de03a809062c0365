// SPDX-License-Identifier: GPL-2.0-or-later
// The syntax of slurm.conf, shared by dfrs.conf and what dfrs needs of slurm.conf itself: text to Key=Value pairs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dfrs::shim {

struct Setting {
  std::string key;
  std::string value;     ///< without its quotes
  std::size_t line = 0;  ///< where it stands, from 1
  bool first = false;    ///< begins its line (continued lines count as one)
};

struct SyntaxError {
  std::size_t line = 0;
  std::string message;
};

struct Settings {
  std::vector<Setting> list;        ///< in order
  std::vector<SyntaxError> errors;  ///< in order of lines; what could be read beside them is in `list`
};

/// Key=Value, blanks around '=' allowed, several on a line; '#' begins a comment; a backslash at the end of a line
/// continues it; a value in double quotes may hold blanks and '#'. Linear.
Settings parse_settings(std::string_view text);

/// Letters A-Z as a-z; others stay.
std::string lower_case(std::string_view text);

}  // namespace dfrs::shim
