// SPDX-License-Identifier: GPL-2.0-or-later
// What a study's results are of: the program, the sources and the options that made them. Every output carries this.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace dfrs::sim {

struct StudyOrigin {
  struct Source {
    std::string name;  ///< as given
    std::string sha256;
  };

  std::string command;          ///< the subcommand
  std::string options;          ///< all that change results, defaults included, as on a command line
  std::vector<Source> sources;  ///< empty: nothing was read

  /// The line that repeats the results.
  std::string repeat() const;
  /// Lines for a terminal: program, sources, options and the line that repeats.
  std::string text() const;
  /// ",program,options,repeat_with", and the values of a row.
  static std::string csv_header();
  std::string csv_fields() const;
  nlohmann::ordered_json json() const;
};

}  // namespace dfrs::sim
