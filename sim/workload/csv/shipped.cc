// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/csv/shipped.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/sha256.h"
#include "policy/core/nearest_name.h"
#include "sim/io/input_source.h"
#include "sim/workload/text_lines.h"

namespace dfrs::sim {
namespace {

constexpr ShippedMap kMaps[] = {
#include "sim/workload/csv/shipped_maps.h"
};

bool names_no_file(const std::string& name) {
  std::error_code ignored;
  return name.find('/') == std::string::npos && name != "-" && !std::filesystem::exists(name, ignored);
}

}  // namespace

std::string_view ShippedMap::title() const {
  LineSplitter lines(text);
  for (std::string_view line; lines.next(line);) {
    if (line.starts_with("# ") && !line.starts_with("# SPDX")) return line.substr(2);
  }
  return {};
}

std::span<const ShippedMap> shipped_maps() { return kMaps; }

std::string shipped_map_names() {
  std::string names;
  for (const ShippedMap& map : kMaps) names += fmt::format("{}{}", names.empty() ? "" : ", ", map.name);
  return names;
}

Result<CsvMap> load_csv_map(const std::string& name_or_file, std::string& sha256) {
  if (!names_no_file(name_or_file)) {
    return read_text(name_or_file, {}, sha256).and_then([&](const Text& text) {
      return parse_csv_map(text, source_name(name_or_file));
    });
  }
  const auto map = std::find_if(std::begin(kMaps), std::end(kMaps),
                                [&](const ShippedMap& each) { return each.name == name_or_file; });
  if (map != std::end(kMaps)) {
    sha256 = base::sha256_hex(map->text);
    return parse_csv_map(map->text, fmt::format("{}.map", map->name));
  }
  std::vector<std::string> names;
  for (const ShippedMap& each : kMaps) names.emplace_back(each.name);
  return usage_error(
      fmt::format("--map {}: neither a file nor a map that comes with dfrs-sim ({}); the nearest is '{}'",
                  printable_word(name_or_file), shipped_map_names(), nearest_name(name_or_file, names)));
}

}  // namespace dfrs::sim
