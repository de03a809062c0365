// SPDX-License-Identifier: GPL-2.0-or-later
// Logs of the Parallel Workloads Archive, by name.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sim/fetch/cache.h"

namespace dfrs::sim {

struct KnownLog {
  std::string_view name;    ///< "HPC2N-2002-2.1-cln"
  std::string_view path;    ///< below the archive's base URL
  std::string_view sha256;  ///< of the compressed file
  std::string_view about;
};

inline constexpr std::string_view kArchiveUrl = "https://www.cs.huji.ac.il/labs/parallel/workload/";

/// All known logs, by name.
std::span<const KnownLog> known_logs();

/// Finds the log `name` in the cache, or downloads it from below `base_url`; see fetch_file. Errors: kExitUsage for an
/// unknown name, listing the known ones, and those of fetch_file.
Result<Fetched> fetch_log(std::string_view name, const FetchOptions& options = {},
                          std::string base_url = std::string(kArchiveUrl));

}  // namespace dfrs::sim
