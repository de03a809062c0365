// SPDX-License-Identifier: GPL-2.0-or-later
// Where a reproduction finds the logs that a paper's workloads are made of.
#include <fmt/format.h>

#include <filesystem>

#include "sim/errors.h"
#include "sim/fetch/cache.h"
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

}  // namespace

std::string find_log(const ReproduceOptions& options, std::string_view name) {
  if (!options.traces.empty()) {
    const std::string path = log_in(options.traces, name);
    if (!path.empty()) return path;
  }
  try {
    return log_in(default_cache_folder(), name);
  } catch (const IoError&) {
    return {};  // an account without a home has no cache
  }
}

std::string missing_log(const ReproduceOptions& options, std::string_view name) {
  const std::string where =
      options.traces.empty() ? std::string("--traces names no folder") : fmt::format("{} has none", options.traces);
  return fmt::format("Left out, because it needs the log {0}.swf.gz and {1}; `dfrs-sim fetch {0}` gets it.", name,
                     where);
}

}  // namespace dfrs::sim
