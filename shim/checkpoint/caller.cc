// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/checkpoint/caller.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <linux/nsfs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <sstream>

#include "base/files.h"

namespace dfrs::shim {
namespace {

struct LimitName {
  const char* text;  // in /proc/PID/limits
  int limit;
};
constexpr LimitName kLimits[] = {{"Max cpu time", RLIMIT_CPU},
                                 {"Max file size", RLIMIT_FSIZE},
                                 {"Max data size", RLIMIT_DATA},
                                 {"Max stack size", RLIMIT_STACK},
                                 {"Max core file size", RLIMIT_CORE},
                                 {"Max resident set", RLIMIT_RSS},
                                 {"Max processes", RLIMIT_NPROC},
                                 {"Max open files", RLIMIT_NOFILE},
                                 {"Max locked memory", RLIMIT_MEMLOCK},
                                 {"Max address space", RLIMIT_AS},
                                 {"Max file locks", RLIMIT_LOCKS},
                                 {"Max pending signals", RLIMIT_SIGPENDING},
                                 {"Max msgqueue size", RLIMIT_MSGQUEUE},
                                 {"Max nice priority", RLIMIT_NICE},
                                 {"Max realtime priority", RLIMIT_RTPRIO},
                                 {"Max realtime timeout", RLIMIT_RTTIME}};

rlim_t limit_of(const std::string& word) { return word == "unlimited" ? RLIM_INFINITY : std::stoull(word); }

// From /proc rather than prlimit(), which needs CAP_SYS_RESOURCE for other users' processes.
std::map<int, rlimit> limits_in(const std::string& text) {
  std::map<int, rlimit> limits;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    for (const LimitName& name : kLimits) {
      if (!line.starts_with(name.text)) continue;
      std::istringstream words(line.substr(strlen(name.text)));
      std::string soft;
      std::string hard;
      if (words >> soft >> hard) limits[name.limit] = {limit_of(soft), limit_of(hard)};
    }
  }
  return limits;
}

// The words after "Key:" in /proc/PID/status.
std::vector<unsigned long> numbers_of(const std::string& status, const std::string& key, int base) {
  std::vector<unsigned long> numbers;
  const std::size_t at = ("\n" + status).find("\n" + key + ":");
  if (at == std::string::npos) return numbers;
  std::istringstream words(status.substr(at + key.size() + 1, status.find('\n', at) - at - key.size() - 1));
  for (std::string word; words >> word;) numbers.push_back(std::stoul(word, nullptr, base));
  return numbers;
}

bool names_controller(const std::string& options, const std::string& controllers) {
  // "rw,cpu,cpuacct" has each of "cpu,cpuacct"; the first is enough, as a controller is in one hierarchy only.
  return ("," + options + ",").find("," + controllers.substr(0, controllers.find(',')) + ",") != std::string::npos;
}

// The folder that a line of /proc/PID/cgroup stands for, by the mounts of this process.
std::optional<std::string> folder_of(const std::string& controllers, const std::string& path,
                                     const std::string& mounts) {
  std::istringstream lines(mounts);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream before(line.substr(0, line.find(" - ")));
    std::istringstream after(line.substr(std::min(line.size(), line.find(" - ") + 3)));
    std::string skip;
    std::string root;
    std::string point;
    std::string type;
    std::string options;
    before >> skip >> skip >> skip >> root >> point;
    after >> type >> skip >> options;
    const bool right =
        controllers.empty() ? type == "cgroup2" : type == "cgroup" && names_controller(options, controllers);
    if (!right) continue;
    if (root == "/") return point + path;
    if (path == root || path.starts_with(root + "/")) return point + path.substr(root.size());
  }
  return std::nullopt;
}

std::vector<std::string> procs_of(const std::string& groups, const std::string& mounts) {
  std::vector<std::string> procs;
  std::istringstream lines(groups);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const auto folder = folder_of(line.substr(first + 1, second - first - 1), line.substr(second + 1), mounts);
    if (folder) procs.push_back(*folder + "/cgroup.procs");
  }
  return procs;
}

// The mount namespace to join: with job_container/tmpfs a job has a /tmp of its own. No descriptor: it is this
// process's. One that a user made is refused, because root would take its files for the host's. What is judged is the
// descriptor that is joined, so that the caller cannot change it in between.
tl::expected<base::Fd, std::string> mounts_of(pid_t pid) {
  const std::string mounts = fmt::format("/proc/{}/ns/mnt", pid);
  base::Fd fd(::open(mounts.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat ours{};
  struct stat theirs{};
  if (!fd || ::fstat(fd.get(), &theirs) != 0 || ::stat("/proc/self/ns/mnt", &ours) != 0)
    return tl::unexpected(fmt::format("{}: {}", mounts, strerror(errno)));
  if (ours.st_ino == theirs.st_ino) return base::Fd();
  const base::Fd owner(::ioctl(fd.get(), NS_GET_USERNS));
  if (!owner || ::fstat(owner.get(), &theirs) != 0 || ::stat("/proc/self/ns/user", &ours) != 0 ||
      ours.st_ino != theirs.st_ino)
    return tl::unexpected(std::string("it runs in a mount namespace that a user made (a container or unshare)"));
  return fd;
}

}  // namespace

tl::expected<Caller, std::string> Caller::of(pid_t pid, uid_t uid, gid_t gid) {
  Caller caller;
  caller.pid = pid;
  caller.uid = uid;
  caller.gid = gid;
  const std::string at = fmt::format("/proc/{}", pid);
  const auto status = base::read_file_at(AT_FDCWD, at + "/status");
  const auto limits = base::read_file_at(AT_FDCWD, at + "/limits");
  const auto groups = base::read_file_at(AT_FDCWD, at + "/cgroup");
  const auto mounts = base::read_file_at(AT_FDCWD, "/proc/self/mountinfo", 16 << 20);
  if (!status || !limits || !groups || !mounts) return tl::unexpected(fmt::format("process {} is gone", pid));
  const auto ids = numbers_of(*status, "Uid", 10);
  if (ids.size() < 2 || ids[1] != uid) return tl::unexpected(fmt::format("process {} is not of user id {}", pid, uid));
  for (const unsigned long group : numbers_of(*status, "Groups", 10))
    caller.groups.push_back(static_cast<gid_t>(group));
  if (const auto mask = numbers_of(*status, "Umask", 8); !mask.empty()) caller.mask = static_cast<mode_t>(mask[0]);
  const auto no_new = numbers_of(*status, "NoNewPrivs", 10);
  caller.no_new_privileges = !no_new.empty() && no_new[0] != 0;
  caller.limits = limits_in(*limits);
  caller.priority = ::getpriority(PRIO_PROCESS, static_cast<id_t>(pid));
  if (::sched_getaffinity(pid, sizeof caller.cpus, &caller.cpus) != 0)
    return tl::unexpected(fmt::format("process {} is gone", pid));
  caller.procs = procs_of(*groups, *mounts);
  if (const auto joinable = mounts_of(pid); !joinable) return tl::unexpected(joinable.error());
  return caller;
}

tl::expected<void, std::string> join(const Caller& caller) {
  for (const std::string& procs : caller.procs) {
    const base::Fd file(::open(procs.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file || !base::write_all(file.get(), "0"))
      return tl::unexpected(fmt::format("{}: {}", procs, strerror(errno)));
  }
  const auto mounts = mounts_of(caller.pid);
  if (!mounts) return tl::unexpected(mounts.error());
  if (*mounts && ::setns(mounts->get(), CLONE_NEWNS) != 0)
    return tl::unexpected(fmt::format("/proc/{}/ns/mnt: {}", caller.pid, strerror(errno)));
  return {};
}

bool become(const Caller& caller) {
  for (const auto& [limit, values] : caller.limits) {
    rlimit wanted = values;
    rlimit now{};
    // Only with CAP_SYS_RESOURCE a hard limit can rise; less is better than nothing.
    if (::setrlimit(limit, &wanted) != 0 && ::getrlimit(limit, &now) == 0) {
      wanted.rlim_max = std::min(wanted.rlim_max, now.rlim_max);
      wanted.rlim_cur = std::min(wanted.rlim_cur, wanted.rlim_max);
      ::setrlimit(limit, &wanted);
    }
  }
  ::setpriority(PRIO_PROCESS, 0, caller.priority);
  ::sched_setaffinity(0, sizeof caller.cpus, &caller.cpus);
  ::umask(caller.mask);
  if (::setgroups(caller.groups.size(), caller.groups.data()) != 0) return false;
  if (::setresgid(caller.gid, caller.gid, caller.gid) != 0) return false;
  if (::setresuid(caller.uid, caller.uid, caller.uid) != 0) return false;
  return !caller.no_new_privileges || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

}  // namespace dfrs::shim
