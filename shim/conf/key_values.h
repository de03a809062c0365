// SPDX-License-Identifier: GPL-2.0-or-later
// The syntax that dfrs.conf shares with slurm.conf: from text to Key=Value pairs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace dfrs::shim {

struct KeyValue {
  std::string key;
  std::string value;         ///< without its quotes
  std::size_t line = 0;      ///< counted from 1
  bool starts_line = false;  ///< the first on its line (a continued line counts as one)
};

struct SyntaxError {
  std::size_t line = 0;
  std::string message;
};

struct KeyValues {
  std::vector<KeyValue> pairs;      ///< in order
  std::vector<SyntaxError> errors;  ///< by line; `pairs` holds what could still be read
};

/// Key=Value, blanks around '=' allowed, several on a line; '#' begins a comment; a backslash at the end of a line
/// continues it; a value in double quotes may hold blanks and '#'. Linear.
KeyValues parse_key_values(std::string_view text);

/// The content of a file of at most `max_bytes` bytes. Error: why it cannot be read, without its name.
tl::expected<std::string, std::string> read_conf_text(const std::string& path, std::size_t max_bytes);

/// parse_key_values() of read_conf_text().
tl::expected<KeyValues, std::string> read_key_values(const std::string& path, std::size_t max_bytes);

/// With the letters A to Z in lower case; other bytes stay.
std::string lower_case(std::string_view text);

}  // namespace dfrs::shim
