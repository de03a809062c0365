// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the logs that a paper's workloads are made of.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "sim/errors.h"
#include "sim/fetch/cache.h"
#include "sim/fetch/catalogue.h"
#include "sim/reproduce/reproduction.h"

namespace dfrs::sim {
namespace {

std::string log_in(const std::filesystem::path& folder, std::string_view name) {
  for (const char* ending : {".swf.gz", ".swf", ".swf.xz", ".swf.zst", ".swf.bz2"}) {
    const std::filesystem::path path = folder / (std::string(name) + ending);
    std::error_code none;
    if (std::filesystem::is_regular_file(path, none)) return path.string();
  }
  return {};
}

std::string search_log(const ReproduceOptions& options, std::string_view name) {
  if (!options.traces.empty()) {
    const std::string path = log_in(options.traces, name);
    if (!path.empty()) return path;
  }
  const Result<std::string> cache = default_cache_folder();
  return cache ? log_in(*cache, name) : std::string();  // an account without a home directory has no cache
}

}  // namespace

std::string find_log(const ReproduceOptions& options, std::string_view name) {
  std::string path = search_log(options, name);
  std::vector<std::string>* const logs = options.logs.get();
  if (logs != nullptr && !path.empty() && std::find(logs->begin(), logs->end(), path) == logs->end()) {
    logs->push_back(path);
  }
  return path;
}

std::string missing_log(const ReproduceOptions& options, std::string_view name) {
  const std::string where =
      options.traces.empty() ? std::string("--traces names no folder") : fmt::format("{} has none", options.traces);
  const std::span<const KnownLog> known = known_logs();
  const bool fetched = std::any_of(known.begin(), known.end(), [&](const KnownLog& log) { return log.name == name; });
  return fmt::format("Left out, because it needs the log {}.swf.gz and {}; {}.", name, where,
                     fetched ? fmt::format("`dfrs-sim fetch {}` gets it", name)
                             : std::string("the Parallel Workloads Archive has it"));
}

}  // namespace dfrs::sim
