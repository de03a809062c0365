// SPDX-License-Identifier: GPL-2.0-or-later
// The control groups of jobs on one node.
//
// v1: a tree of our own, <root>/cpu/<tree>/<node>/job_<id> (and the same below cpuacct), because Slurm does not use the
// cpu controller; tasks are put there by the SPANK plugin. v2: Slurm's own group of the job (slurm_groups.h).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "shim/agent/cgroup/kernel.h"
#include "shim/agent/cpu_max.h"

namespace dfrs::shim {

struct GroupUse {
  std::optional<double> cpu_seconds;  ///< of all tasks that were ever in the group; nothing: not accounted
  std::uint64_t periods = 0;          ///< periods in which the group was runnable
  std::uint64_t throttled = 0;        ///< those in which it used up its quota
  double throttled_seconds = 0;       ///< time for which its tasks waited
};

enum class QuotaChange { none, written, no_group };

/// Any thread. Messages are one line.
class JobGroups {
 public:
  virtual ~JobGroups() = default;
  virtual const char* version() const = 0;  ///< "v1", "v2"
  /// Jobs that have a group.
  virtual tl::expected<std::vector<std::uint32_t>, std::string> list() const = 0;
  /// Sets the quota if it differs (each write refills the budget of the period). A change of a limit that it knows is
  /// written unread; the same limit again is checked first, and what somebody else changed is put right. v1 creates a
  /// missing group. In v2 Slurm creates groups, and no_group means that it has not.
  virtual tl::expected<QuotaChange, std::string> set_quota(std::uint32_t job, const CpuMax& quota) const = 0;
  /// The quota that the kernel has; nothing: no group, or it cannot be read.
  virtual std::optional<CpuMax> quota(std::uint32_t job) const = 0;
  /// Nothing: no group.
  virtual std::optional<GroupUse> use(std::uint32_t job) const = 0;
  /// The job's own processes, without Slurm's.
  virtual std::vector<pid_t> processes(std::uint32_t job) const = 0;
  /// Removes the group unless it has tasks or is Slurm's. True if it did.
  virtual bool remove_if_empty(std::uint32_t job) const = 0;
  /// Asks the kernel to move so much of the job's memory to swap. False: its group has no such function.
  virtual bool reclaim(std::uint32_t job, std::uint64_t bytes) const = 0;
  /// Bytes that the limits of its groups still let the job have in swap here; none: no limit.
  virtual std::optional<std::uint64_t> swap_left(std::uint32_t job) const = 0;
};

struct GroupPlace {
  std::string root = "/sys/fs/cgroup";
  std::string tree = "dfrs";  ///< v1: our group at the top of each controller
  std::string node;
  std::string published{};  ///< v2: where the SPANK plugin says which group is whose, <run_dir>/group; empty: nowhere
  std::string proc = "/proc";
};

/// Detects the version below the root. `kernel` must outlive the result.
tl::expected<std::unique_ptr<JobGroups>, std::string> open_job_groups(const GroupPlace& place,
                                                                      const CgroupKernel& kernel = cgroup_kernel());

}  // namespace dfrs::shim
