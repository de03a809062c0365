// SPDX-License-Identifier: GPL-2.0-or-later
// Workloads of the benchmarks: HPC2N's log where DFRS_TRACES names a folder with it, generated ones everywhere.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/workload/load.h"
#include "sim/workload/lublin.h"

namespace dfrs::sim::bench {

/// Path of the log, if it is there.
inline std::optional<std::string> hpc2n_path() {
  const char* folder = std::getenv("DFRS_TRACES");
  if (folder == nullptr) return std::nullopt;
  const std::filesystem::path path = std::filesystem::path(folder) / "HPC2N-2002-2.1-cln.swf.gz";
  return std::filesystem::exists(path) ? std::optional(path.string()) : std::nullopt;
}

inline std::vector<Instance> hpc2n(bool weeks) {
  LoadOptions options;
  options.annotation = SwfAnnotation::kMemory;
  options.weeks = weeks;
  return or_throw(load_instances(*hpc2n_path(), options)).instances;
}

inline std::vector<Instance> lublin(std::uint64_t count) {
  std::vector<Instance> instances;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    LublinOptions options;
    options.seed = seed;
    instances.push_back(or_throw(lublin_instance(options)));
  }
  return instances;
}

}  // namespace dfrs::sim::bench
