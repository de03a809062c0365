// SPDX-License-Identifier: GPL-2.0-or-later
// The mapping files that come with dfrs-sim: share/maps/NAME.map.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sim/workload/csv/map.h"

namespace dfrs::sim {

struct ShippedMap {
  std::string_view name;  ///< "pm100"
  std::string_view text;

  /// What it is of: the first line of its comments.
  std::string_view title() const;
};

/// By name.
std::span<const ShippedMap> shipped_maps();
/// "alibaba2018, fdata, ...".
std::string shipped_map_names();

/// The map of that name, if there is no such file; otherwise the file's. `sha256` becomes that of its text. Errors:
/// those of read_text and parse_csv_map; kExitUsage for a name that is neither.
Result<CsvMap> load_csv_map(const std::string& name_or_file, std::string& sha256);

}  // namespace dfrs::sim
