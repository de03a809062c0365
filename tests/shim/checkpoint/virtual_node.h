// SPDX-License-Identifier: GPL-2.0-or-later
// A node's side of checkpoints without its network: the socket for dfrs-run, keepers and the checkpointer, on this
// machine's control groups of version 1. Two of them with one folder of images are two nodes with a shared folder.
#pragma once

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <signal.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "shim/agent/cgroup/job_groups.h"
#include "shim/checkpoint/checkpointer.h"
#include "shim/checkpoint/launch_listener.h"
#include "tests/shim/support/folder.h"

namespace dfrs::shim {

/// Where the test's programs are: dfrs-run, dfrs-keeper, dfrs-init.
inline std::string built_program(const std::string& name) {
  const char* const folder = ::getenv("DFRS_PROGRAMS");
  return std::filesystem::absolute(folder != nullptr ? folder : ".").string() + "/" + name;
}

/// Why no job can run in control groups of this machine; nothing: it can.
inline std::optional<std::string> no_job_groups() {
  struct statfs about{};
  if (::getuid() != 0) return "needs root, to make control groups and namespaces";
  if (::statfs("/sys/fs/cgroup/cpu", &about) != 0 || about.f_type != CGROUP_SUPER_MAGIC)
    return "needs cgroup version 1 at /sys/fs/cgroup/cpu";
  return std::nullopt;
}

/// As exec() takes them; they stay the words'.
inline std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

/// Waits until it is true; false: it was not within a generous time.
inline bool wait_until(const std::function<bool()>& condition,
                       std::chrono::seconds patience = std::chrono::seconds(60)) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

struct Site {
  Folder folder;
  std::string images = folder / "images";
  std::string key = folder.write("key", "a key of the test's own, long enough");
  std::string tree = "dfrs-checkpoint-test-" + std::to_string(::getpid());
  std::string scratch;  // of the next node; empty: images are not compressed
  std::string criu = "criu";
  std::uint64_t bytes = 0;          // limit of the store
  std::uint64_t pre_dump_from = 0;  // bytes
  uid_t user = 0;                   // of the jobs

  Site() { ::chmod(key.c_str(), 0600); }
  // A group can be removed when its last process has exited. The next test's tree has the same name.
  ~Site() {
    EXPECT_TRUE(wait_until([this] { return groups_removed(); })) << tree;
  }

 private:
  bool groups_removed() const {
    for (const char* const controller : {"cpu", "cpuacct"}) {
      std::error_code ignored;
      const std::filesystem::path top = std::string("/sys/fs/cgroup/") + controller + "/" + tree;
      for (const auto& node : std::filesystem::directory_iterator(top, ignored)) {
        for (const auto& job : std::filesystem::directory_iterator(node.path(), ignored)) ::rmdir(job.path().c_str());
        ::rmdir(node.path().c_str());
      }
      if (::rmdir(top.c_str()) != 0 && errno != ENOENT) return false;
    }
    return true;
  }
};

class VirtualNode {
 public:
  VirtualNode(const Site& site, const std::string& name)
      : site_(site), name_(name), run_(site.folder / ("run-" + name)) {
    std::filesystem::create_directories(run_);
    auto groups = open_job_groups({"/sys/fs/cgroup", site.tree, name});
    if (!groups) throw std::runtime_error(groups.error());
    groups_ = std::move(*groups);
    start();
  }

  VirtualNode(const VirtualNode&) = delete;
  VirtualNode& operator=(const VirtualNode&) = delete;
  /// Ends the programs that a failed test has left, and their keepers with them.
  ~VirtualNode() {
    for (const std::uint32_t job : groups_->list().value_or(std::vector<std::uint32_t>{})) {
      for (const pid_t process : groups_->processes(job)) ::kill(process, SIGKILL);
    }
  }

  /// As dfrsd starts, and ends by SIGKILL: keepers stay.
  void start() {
    std::vector<std::string> keeper{built_program("dfrs-keeper"),
                                    "--node",
                                    name_,
                                    "--run-dir",
                                    run_,
                                    "--cgroup-root",
                                    "/sys/fs/cgroup",
                                    "--cgroup-tree",
                                    site_.tree,
                                    "--folder",
                                    site_.images,
                                    "--key",
                                    site_.key,
                                    "--bytes",
                                    std::to_string(site_.bytes),
                                    "--user-bytes",
                                    "0",
                                    "--pre-dump-from",
                                    std::to_string(site_.pre_dump_from),
                                    "--criu",
                                    site_.criu,
                                    "--init",
                                    built_program("dfrs-init")};
    if (!site_.scratch.empty()) keeper.insert(keeper.end(), {"--scratch", site_.scratch});
    auto listener = LaunchListener::start({.run_dir = run_, .keeper = std::move(keeper)});
    if (!listener) throw std::runtime_error(listener.error());
    listener_ = std::move(*listener);
    checkpointer_ = std::make_unique<Checkpointer>(
        CheckpointerOptions{.run_dir = run_,
                            .folder = site_.images,
                            .has_processes = [this](std::uint32_t job) { return !groups_->processes(job).empty(); },
                            .scratch = site_.scratch});
  }
  void kill_dfrsd() {
    checkpointer_.reset();
    listener_.reset();
  }

  /// Starts `before... dfrs-run words...` in the job's group, in this folder, with output and error appended to files
  /// there.
  pid_t run(std::uint32_t job, std::uint32_t restarts, const std::string& folder, std::vector<std::string> words,
            const std::vector<std::string>& before = {}) {
    const auto made = groups_->set_quota(job, CpuMax{100000, 100000});
    if (!made) throw std::runtime_error(made.error());
    words.insert(words.begin(), {built_program("dfrs-run"), "--run-dir", run_});
    words.insert(words.begin(), before.begin(), before.end());
    // This process has threads. One of them may hold a lock of malloc() as fork() is called, and under
    // AddressSanitizer the child would wait for it forever. So the child allocates nothing.
    std::vector<std::string> joins;
    for (const char* const controller : {"cpu", "cpuacct"})
      joins.push_back(std::string("/sys/fs/cgroup/") + controller + "/" + site_.tree + "/" + name_ + "/job_" +
                      std::to_string(job) + "/cgroup.procs");
    std::vector<std::string> variables{"SLURM_JOB_ID=" + std::to_string(job),
                                       "SLURM_RESTART_COUNT=" + std::to_string(restarts)};
    for (char** variable = environ; *variable != nullptr; ++variable)
      if (std::string_view(*variable).rfind("SLURM_JOB_ID=", 0) != 0 &&
          std::string_view(*variable).rfind("SLURM_RESTART_COUNT=", 0) != 0)
        variables.push_back(*variable);
    const std::vector<char*> arguments = pointers(words), environment = pointers(variables);
    const pid_t child = ::fork();
    if (child != 0) return child;
    for (const std::string& procs : joins) {
      const base::Fd file(::open(procs.c_str(), O_WRONLY));
      if (::write(file.get(), "0", 1) != 1) ::_exit(96);
    }
    if (site_.user != 0 && (::setgroups(0, nullptr) != 0 || ::setgid(site_.user) != 0 || ::setuid(site_.user) != 0))
      ::_exit(97);
    if (::chdir(folder.c_str()) != 0) ::_exit(99);
    ::dup2(::open("/dev/null", O_RDONLY), 0);
    ::dup2(::open("out", O_WRONLY | O_CREAT | O_APPEND, 0644), 1);
    ::dup2(::open("err", O_WRONLY | O_CREAT | O_APPEND, 0644), 2);
    ::execvpe(arguments[0], arguments.data(), environment.data());
    ::_exit(98);
  }

  void order(std::uint32_t job, std::uint64_t attempt, CheckpointPhase phase, std::uint32_t restarts = 0,
             std::uint32_t programs = 0) {
    JobQuota quota;
    quota.job_id = job;
    quota.cpus = 1;
    quota.checkpointable = true;
    quota.checkpoint = CheckpointOrder{attempt, phase, restarts, ::getuid(), site_.images, programs};
    checkpointer_->set_desired({quota});
  }
  void no_order(std::uint32_t job, bool restoring = false) {
    JobQuota quota;
    quota.job_id = job;
    quota.cpus = 1;
    quota.checkpointable = true;
    quota.restoring = restoring;
    checkpointer_->set_desired({quota});
  }
  /// The last report's state; nothing: there is none.
  std::optional<CheckpointState> state(std::uint32_t job) const {
    const auto report = checkpointer_->report(job);
    return report ? std::optional(report->state) : std::nullopt;
  }
  CheckpointReport report(std::uint32_t job) const { return checkpointer_->report(job).value_or(CheckpointReport{}); }
  /// Freezes and dumps the job; the report of how that ended.
  CheckpointReport checkpoint(std::uint32_t job, std::uint64_t attempt, std::uint32_t restarts) {
    const auto reached = [&](CheckpointState wanted) {
      return [this, job, attempt, wanted] {
        const auto now = checkpointer_->report(job);
        return now && now->attempt == attempt && (now->state == wanted || now->state == CheckpointState::kFailed);
      };
    };
    order(job, attempt, CheckpointPhase::kFreeze, restarts);
    if (!wait_until(reached(CheckpointState::kFrozen))) return {};
    order(job, attempt, CheckpointPhase::kDump, restarts, report(job).programs);
    wait_until(reached(CheckpointState::kDumped));
    return report(job);
  }
  std::vector<pid_t> processes(std::uint32_t job) const { return groups_->processes(job); }
  /// CPU time in seconds of the job's processes here, of those that have ended, too.
  double cpu_seconds(std::uint32_t job) const {
    const std::string usage =
        "/sys/fs/cgroup/cpuacct/" + site_.tree + "/" + name_ + "/job_" + std::to_string(job) + "/cpuacct.usage";
    return static_cast<double>(std::strtoull(file_text(usage).c_str(), nullptr, 10)) * 1e-9;
  }
  const std::string& run_dir() const { return run_; }

 private:
  const Site& site_;
  const std::string name_;
  const std::string run_;
  std::unique_ptr<JobGroups> groups_;
  std::unique_ptr<LaunchListener> listener_;
  std::unique_ptr<Checkpointer> checkpointer_;
};

/// The exit code of a child; 128 + N if signal N ended it.
inline int exit_code_of(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// What Slurm does as it requeues a job: SIGCONT, SIGTERM, and after a while SIGKILL.
inline int requeue(pid_t child) {
  ::kill(child, SIGCONT);
  ::kill(child, SIGTERM);
  return exit_code_of(child);
}

}  // namespace dfrs::shim
