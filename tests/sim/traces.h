// SPDX-License-Identifier: GPL-2.0-or-later
// Logs of the Parallel Workloads Archive in the folder that the environment variable DFRS_TRACES names.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace dfrs::sim {

/// Path of the log, or empty if DFRS_TRACES is unset or its folder has no such log.
inline std::string trace_path(const std::string& file) {
  const char* const folder = std::getenv("DFRS_TRACES");
  if (folder == nullptr) return {};
  const std::filesystem::path path = std::filesystem::path(folder) / file;
  return std::filesystem::exists(path) ? path.string() : std::string();
}

}  // namespace dfrs::sim

#define DFRS_TRACE_OR_SKIP(path, file)                  \
  const std::string path = dfrs::sim::trace_path(file); \
  if (path.empty()) GTEST_SKIP() << "no " << (file) << ": DFRS_TRACES is not set, or its folder lacks it"
