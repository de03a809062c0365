// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/study_origin.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/campaign/origin.h"
#include "sim/campaign/results.h"

namespace dfrs::sim {

std::string StudyOrigin::repeat() const {
  std::string line = "dfrs-sim " + command;
  for (const Source& source : sources) line += " " + shell_word(source.name);
  return options.empty() ? line : line + " " + options;
}

std::string StudyOrigin::text() const {
  std::string text = fmt::format("program      {}\n", program_version());
  for (const Source& source : sources)
    text += fmt::format("source       {} (SHA-256 {})\n", source.name, source.sha256);
  text += fmt::format("options      {}\n", options);
  return text + fmt::format("repeat with  {}\n", repeat());
}

std::string StudyOrigin::csv_header() { return ",program,options,repeat_with"; }

std::string StudyOrigin::csv_fields() const {
  return fmt::format(",{},{},{}", csv_field(program_version()), csv_field(options), csv_field(repeat()));
}

nlohmann::ordered_json StudyOrigin::json() const {
  nlohmann::ordered_json read = nlohmann::ordered_json::array();
  for (const Source& source : sources) read.push_back({{"source", source.name}, {"source_sha256", source.sha256}});
  return {{"program", program_version()}, {"sources", read}, {"options", options}, {"repeat_with", repeat()}};
}

}  // namespace dfrs::sim
