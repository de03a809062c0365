// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/conf/config.h"

#include <fmt/format.h>

#include <iterator>

#include "shim/conf/settings.h"

namespace dfrs::shim {
Config::Config() : algorithm(*parse_algorithm(kDefaultAlgorithm)) {}

const PartitionConfig* Config::partition(std::string_view name) const {
  for (const PartitionConfig& partition : partitions) {
    if (partition.name == name) return &partition;
  }
  return nullptr;
}

std::string format_config(const Config& config) {
  std::string text;
  for (const Setting& setting : settings()) {
    const auto value = setting.format(config, config.pausing);
    if (!value) continue;
    // Blanks, '#' and '\\' mean something to the parser.
    const char* quote = value->find_first_of(" \t#\\") != std::string::npos ? "\"" : "";
    fmt::format_to(std::back_inserter(text), "{0}={1}{2}{1}\n", setting.name, quote, *value);
  }
  for (const PartitionConfig& partition : config.partitions) {
    if (partition.pausing == config.pausing) continue;
    text += "PartitionName=" + partition.name;
    for (const Setting& setting : settings()) {
      if (setting.place != Setting::Place::file_or_partition) continue;
      if (const auto value = setting.format(config, partition.pausing))
        text += fmt::format(" {}={}", setting.name, *value);
    }
    text += '\n';
  }
  return text;
}

}  // namespace dfrs::shim
