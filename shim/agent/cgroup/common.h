// SPDX-License-Identifier: GPL-2.0-or-later
// What both versions of control groups share: their small text files.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "base/files.h"
#include "shim/agent/cgroup/job_groups.h"

namespace dfrs::shim {

std::string job_folder(std::uint32_t job);                          ///< "job_12"
std::optional<std::uint32_t> job_of_folder(std::string_view name);  ///< 12 of "job_12"
/// The number after `key` in lines of "key number".
std::optional<std::uint64_t> stat_value(std::string_view text, std::string_view key);
/// The text of a file that holds one number.
std::optional<std::int64_t> single_number(std::string_view text);
/// Process ids, one a line.
std::vector<pid_t> parse_processes(std::string_view text);
std::vector<std::uint32_t> jobs_among(const std::vector<std::string>& names);

/// The limits that groups had when they were last read or written, so that a change of all quotas need not read them
/// first. A limited group also has its weight, which came with the first limit. Any thread.
class KnownQuotas {
 public:
  /// None: not known, or of another group of the job.
  std::optional<CpuMax> of(std::uint32_t job, ino_t group) const;
  void keep(std::uint32_t job, ino_t group, const CpuMax& quota);
  void forget(std::uint32_t job);

 private:
  struct Known {
    ino_t group = 0;
    CpuMax quota;
  };
  mutable std::mutex mutex_;
  std::map<std::uint32_t, Known> known_;
};

/// What paths in /proc/PID/cgroup begin with for groups below a folder; empty: it is below no mount.
std::string root_of_folder(const GroupPlace& place, const std::string& folder);

tl::expected<std::unique_ptr<JobGroups>, std::string> open_v1(const GroupPlace& place, const CgroupKernel& kernel);
tl::expected<std::unique_ptr<JobGroups>, std::string> open_v2(base::Fd root, const GroupPlace& place,
                                                              const CgroupKernel& kernel);

}  // namespace dfrs::shim
