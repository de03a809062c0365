// SPDX-License-Identifier: GPL-2.0-or-later
// Stops or continues the processes of jobs where their state differs from what Slurm has decided.
//
// slurmd lets requests to suspend and to resume one job overtake each other: while one is under way the next ones wait
// in no order. A job can thus stay stopped for good although Slurm shows it as running, or the other way round. What
// has been wrong for a while is corrected here, by the signals that Slurm itself uses, as long as the controller sends
// states, since an old one may differ from Slurm's for good reason. A job that was never suspended is left alone: users
// may stop processes of their jobs.
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
  Seconds continue_after{3};  ///< stopped though not suspended
  Seconds stop_after{5};      ///< running though suspended; Slurm takes two seconds for it
  Seconds fresh{15};          ///< the desired state must not be older than that
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
  /// Signals a process if it is in the job's group still; the real one when empty.
  std::function<void(pid_t, int)> signal;
};

/// Of one thread.
class StopGuard {
 public:
  /// The groups must outlive this.
  StopGuard(StopGuardOptions options, const JobGroups& groups, std::string proc);

  struct Action {
    bool stopped = false;  ///< or continued
    std::string message;
  };
  /// To be called every second or so. age: of the desired state.
  std::vector<Action> check(std::span<const JobQuota> desired, StopGuardOptions::Seconds age);

 private:
  struct Watch {
    bool ever_suspended = false;
    bool suspended = false;  // as wanted at the last look
    bool wrong = false;      // since:
    std::chrono::steady_clock::time_point since;
  };
  std::vector<pid_t> wrong_processes(std::uint32_t job, bool suspended) const;
  void send(std::uint32_t job, pid_t process, int signal) const;

  const StopGuardOptions options_;
  const JobGroups& groups_;
  const std::string proc_;
  std::map<std::uint32_t, Watch> watches_;
};

}  // namespace dfrs::shim
