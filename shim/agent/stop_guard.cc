// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/agent/stop_guard.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/files.h"
#include "shim/agent/process.h"

namespace dfrs::shim {

StopGuard::StopGuard(StopGuardOptions options, const JobGroups& groups, std::string proc)
    : options_(std::move(options)), groups_(groups), proc_(std::move(proc)) {}

std::vector<pid_t> StopGuard::wrong_processes(std::uint32_t job, bool suspended) const {
  std::vector<pid_t> wrong;
  for (const pid_t process : groups_.processes(job)) {
    const char state = process_state(proc_, process);
    // Leaves out zombies and processes that a debugger has stopped.
    const bool runs = state == 'R' || state == 'S' || state == 'D';
    if (suspended ? runs : state == 'T') wrong.push_back(process);
  }
  return wrong;
}

void StopGuard::send(std::uint32_t job, pid_t process, int signal) const {
  if (options_.signal) {
    options_.signal(process, signal);
    return;
  }
  // The number may have been reused: check that the process behind the descriptor is still in the group.
  const base::Fd held(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
  if (!held) return;
  const std::vector<pid_t> now = groups_.processes(job);
  if (std::find(now.begin(), now.end(), process) == now.end()) return;
  syscall(SYS_pidfd_send_signal, held.get(), signal, nullptr, 0);
}

std::vector<StopGuard::Action> StopGuard::check(std::span<const JobQuota> desired, StopGuardOptions::Seconds age) {
  std::vector<Action> actions;
  std::map<std::uint32_t, Watch> watches;
  const auto now = options_.now();
  for (const JobQuota& job : desired) {
    const auto known = watches_.find(job.job_id);
    Watch watch = known != watches_.end() ? known->second : Watch{};
    if (watch.suspended != job.suspended) watch.wrong = false;
    watch.suspended = job.suspended;
    watch.ever_suspended = watch.ever_suspended || job.suspended;
    const bool looked_at = watch.ever_suspended && age <= options_.fresh;
    const std::vector<pid_t> wrong = looked_at ? wrong_processes(job.job_id, job.suspended) : std::vector<pid_t>{};
    if (wrong.empty()) {
      watch.wrong = false;
    } else if (!watch.wrong) {
      watch.wrong = true;
      watch.since = now;
    } else if (now - watch.since >= (job.suspended ? options_.stop_after : options_.continue_after)) {
      for (const pid_t process : wrong) send(job.job_id, process, job.suspended ? SIGSTOP : SIGCONT);
      watch.wrong = false;  // starts the time again
      actions.push_back({job.suspended, fmt::format("job {}: {} processes {}; dfrsd has {} them (a request to suspend "
                                                    "or resume the job was lost or overtaken)",
                                                    job.job_id, wrong.size(),
                                                    job.suspended ? "run although Slurm has suspended the job"
                                                                  : "are stopped although it is not suspended",
                                                    job.suspended ? "stopped" : "continued")});
    }
    watches[job.job_id] = watch;
  }
  watches_ = std::move(watches);
  return actions;
}

}  // namespace dfrs::shim
