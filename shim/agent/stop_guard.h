// SPDX-License-Identifier: GPL-2.0-or-later
// Stops or continues processes of jobs whose state differs from Slurm's.
//
// slurmd may serve requests to suspend and resume a job out of order: while it handles one, the others wait in no
// order. A job can thus stay stopped although Slurm shows it as running, or the other way round. The guard corrects
// what has been wrong for a while, with the signals that Slurm uses. It acts only on fresh states of the controller,
// since an old one may rightly differ from Slurm's. It leaves jobs alone that were never suspended: users may stop
// their processes.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "shim/agent/cgroup/job_groups.h"
#include "shim/quota/node_agents.h"

namespace dfrs::shim {

struct StopGuardOptions {
  using Seconds = std::chrono::duration<double>;
  Seconds continue_after{3};  ///< time for which it may be stopped though not suspended
  Seconds stop_after{5};      ///< time for which it may run though suspended; Slurm needs two seconds
  Seconds fresh{15};          ///< greatest age of the desired state
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
  /// Replaces the function that signals a process of the job's group, for tests; empty: the real one.
  std::function<void(pid_t, int)> signal;
};

/// For one thread.
class StopGuard {
 public:
  /// The groups must outlive this.
  StopGuard(StopGuardOptions options, const JobGroups& groups, std::string proc);

  struct Action {
    bool stopped = false;  ///< else continued
    std::string message;
  };
  /// Call it about every second. `age`: of the desired state.
  std::vector<Action> check(std::span<const JobQuota> desired, StopGuardOptions::Seconds age);

 private:
  struct Watch {
    bool ever_suspended = false;
    bool suspended = false;  // as wanted at the last look
    bool wrong = false;
    std::chrono::steady_clock::time_point since;  // when it became wrong
  };
  std::vector<pid_t> wrong_processes(std::uint32_t job, bool suspended) const;
  void send(std::uint32_t job, pid_t process, int signal) const;

  const StopGuardOptions options_;
  const JobGroups& groups_;
  const std::string proc_;
  std::map<std::uint32_t, Watch> watches_;
};

}  // namespace dfrs::shim
