// SPDX-License-Identifier: GPL-2.0-or-later
// Reads dfrs.conf, in the syntax of slurm.conf (key_values.h). Keys may be written in any case.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "shim/conf/config.h"

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

/// A larger file is not read: it cannot be a dfrs.conf.
inline constexpr std::size_t kMaxConfigBytes = 1 << 20;

/// Reports all errors, not only the first: unknown keys, keys given twice, values out of range, rules for a partition
/// that is not managed. `file` only names the file in messages. Throws nothing but std::bad_alloc.
tl::expected<Config, ConfigErrors> parse_config(std::string_view text, const std::string& file);

/// The same for the content of a file.
tl::expected<Config, ConfigErrors> read_config(const std::string& path);

}  // namespace dfrs::shim
