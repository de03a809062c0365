// SPDX-License-Identifier: GPL-2.0-or-later
// Reads dfrs.conf. Syntax of slurm.conf: Key=Value, several of them on a line if need be, '#' begins a comment, a
// backslash at the end of a line continues it, values with blanks in double quotes. Keys are known by any case.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "shim/conf/config.h"

namespace dfrs::shim {

/// One thing that is wrong in a dfrs.conf.
struct ConfigError {
  std::string file;
  std::size_t line = 0;     ///< 0: no line is to blame (a key is missing, the file cannot be read)
  std::string key;          ///< empty: no key is to blame
  std::string message;      ///< what is wrong, what was expected
  bool unreadable = false;  ///< the file itself could not be read

  /// "dfrs.conf:12: Period: ...", one line.
  std::string text() const;
};

/// All that is wrong, in the order of lines; never empty when there is no Config.
using ConfigErrors = std::vector<ConfigError>;

/// Errors of a file larger than this are not looked for: it is no dfrs.conf.
inline constexpr std::size_t kMaxConfigBytes = 1 << 20;

/// `file` is for messages alone. Strict: an unknown key, a key given twice, a value out of range, a partition with
/// rules that is not managed are errors; all of them are found, not only the first. Never throws but std::bad_alloc.
tl::expected<Config, ConfigErrors> parse_config(std::string_view text, const std::string& file);

/// parse_config() of a file's content.
tl::expected<Config, ConfigErrors> read_config(const std::string& path);

}  // namespace dfrs::shim
