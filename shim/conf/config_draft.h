// SPDX-License-Identifier: GPL-2.0-or-later
// A dfrs.conf whose lines have been read one by one, before the checks that concern several of them.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "shim/conf/config.h"
#include "shim/conf/config_error.h"
#include "shim/conf/settings.h"

namespace dfrs::shim {

struct ConfigDraft {
  /// The settings of the whole file, or those of one partition.
  struct Section {
    std::size_t line = 0;                     ///< of PartitionName
    std::map<std::string, std::size_t> seen;  ///< setting: line
    GivenPauseRules pausing;
  };

  std::string file;  ///< for messages
  Config config;     ///< without pause rules
  Section whole_file;
  std::map<std::string, Section> partitions;      ///< those with a line of their own
  std::map<std::string, std::size_t> good_lines;  ///< settings whose values were accepted: line
  bool all_lines_read = true;                     ///< no line has a syntax error
  ConfigErrors errors;                            ///< so far

  void add_error(std::size_t line, std::string_view key, std::string message);
};

/// Makes the checks across settings and gives each partition its pause rules. Error: all errors, by line.
tl::expected<Config, ConfigErrors> finish(ConfigDraft draft);

}  // namespace dfrs::shim
