// SPDX-License-Identifier: GPL-2.0-or-later
// The process that runs dfrs-run, and how another process, forked by a daemon, becomes what a child of it would be:
// control groups, limits, user and groups, mask, priority, CPUs, namespaces. For root.
#pragma once

#include <sched.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <map>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace dfrs::shim {

struct Caller {
  pid_t pid = 0;
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;
  mode_t mask = 022;
  bool no_new_privileges = false;
  std::map<int, rlimit> limits;  ///< by RLIMIT_*
  int priority = 0;              ///< nice value
  cpu_set_t cpus{};
  std::vector<std::string> procs;  ///< cgroup.procs of its groups, one a hierarchy

  /// Error: it is gone, not this user's, or in a mount namespace that a user made. One line.
  static tl::expected<Caller, std::string> of(pid_t pid, uid_t uid, gid_t gid);
};

/// Moves the calling process into the caller's control groups and mount namespace, unless a user made that. Error: one
/// line.
tl::expected<void, std::string> join(const Caller& caller);
/// Gives the calling process the caller's limits, priority and CPUs, then its user; false: that failed (errno). Cannot
/// be undone.
bool become(const Caller& caller);

}  // namespace dfrs::shim
