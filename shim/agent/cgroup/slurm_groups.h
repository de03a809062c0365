// SPDX-License-Identifier: GPL-2.0-or-later
// Where Slurm has the groups of this node's jobs, with version 2. The names of its folders differ between versions and
// settings (CgroupSlice, jobs named by SLUID, containers), so none is put together. A job's group is known
//
//   by the SPANK plugin   which publishes it as the job's first task starts (plugin/job_group.h)
//   by its name           job_<id>
//   by its slurmstepd     which is in SCOPE/JOB/step_STEP/slurm, and has the job in its command line. Only root can put
//                         a process there; what the tasks say of themselves (SLURM_JOB_ID) counts for nothing.
//
// A scope is found by the processes of slurmstepd in it, of which one is there as long as slurmd runs. Only groups in
// a scope of this node that belong to our user are ever opened.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "base/files.h"
#include "shim/agent/cgroup/job_groups.h"

namespace dfrs::shim {

/// Any thread.
class SlurmGroups {
 public:
  /// root: place.root, open. The kernel must outlive this.
  SlurmGroups(base::Fd root, const GroupPlace& place, const CgroupKernel& kernel);

  struct Group {
    base::Fd folder;
    std::string path;  ///< below the root
    ino_t inode = 0;
  };
  /// None: the job has no group.
  std::optional<Group> open(std::uint32_t job);
  /// Jobs that have a group, ascending.
  tl::expected<std::vector<std::uint32_t>, std::string> jobs();
  int root() const { return root_.get(); }

 private:
  struct Place {
    std::string path;
    ino_t inode = 0;
  };
  // mutex_ is held in all of these
  std::optional<Group> open_known(std::uint32_t job);
  std::optional<Place> published(std::uint32_t job) const;
  void read_published();
  tl::expected<void, std::string> look_into_scopes();
  std::optional<std::uint32_t> job_of(const std::string& name, const base::Fd& group) const;
  void find_scopes();
  void remember_scope(const std::string& path);
  std::optional<std::string> path_of(const std::string& process) const;

  std::optional<ino_t> ours(int folder) const;  // its inode, if it is a control group of our user

  const base::Fd root_;
  const GroupPlace place_;
  const CgroupKernel& kernel_;
  const std::string mount_root_;  // what paths in /proc begin with for groups below the root

  std::mutex mutex_;
  std::set<std::string> scopes_;
  std::optional<std::chrono::steady_clock::time_point> scopes_at_;
  std::map<std::uint32_t, Place> known_;
};

}  // namespace dfrs::shim
