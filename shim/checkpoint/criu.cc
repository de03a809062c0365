// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/checkpoint/criu.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>

#include "base/files.h"
#include "base/process.h"

namespace dfrs::shim {
namespace {

constexpr int kLeastVersion = 4;
constexpr std::chrono::seconds kCheckPatience{30};
// Contents of files that have no name any more are carried in the image, up to this size each.
constexpr const char* kGhostLimit = "1G";

constexpr std::string_view kExternalFile = "file[";  // how CRIU's names of external files begin

struct Sign {
  std::string_view text;
  std::string_view reason;
};
// In the order of how much they explain.
constexpr Sign kSigns[] = {
    {"No space left on device", "the disk of the image folder is full"},
    {"Disk quota exceeded", "the disk quota of the image folder is used up"},
    {"Connected TCP socket", "holds a TCP connection"},
    {"In-flight connection", "holds a TCP connection"},
    {"external socket is used", "is connected by a UNIX socket to a process that dfrs-run did not start"},
    {"External socket is used", "is connected by a UNIX socket to a process that dfrs-run did not start"},
    {"Unsupported inet", "holds a network socket of a kind that CRIU cannot dump"},
    {"nvidia", "uses a GPU"},
    {"/dev/kfd", "uses a GPU"},
    {"infiniband", "uses InfiniBand"},
    {"io_uring", "uses io_uring"},
    {"of that type", "holds a descriptor of a kind that CRIU cannot dump"},
    {"Can't dump ghost file", "holds a deleted file of more than 1 GiB"},
    {"Can't dump nested", "has namespaces of its own"},
    {"nested pid namespaces", "has namespaces of its own"},
    {"in a nested", "has namespaces of its own"},
    {"Can't seize", "is traced by a debugger, or ended meanwhile"},
    {"Dumping doesn't support", "holds something that CRIU cannot dump"},
    {"Can't lookup mount", "has a file of /proc open, or one that was mounted elsewhere"},
    {"has bad size", "a file that the program has open has changed since the dump"},
    {"has bad build-id", "the program or one of its libraries differs on this node"},
};

std::string version_in(const std::string& text) {
  const std::size_t at = text.find("Version: ");
  if (at == std::string::npos) return {};
  return text.substr(at + 9, text.find_first_of(" \n", at + 9) - at - 9);
}

// Whether one of /proc/self/mountinfo's lines is of the root folder: its fifth word is "/".
bool has_root_mount(const std::string& mounts) {
  std::istringstream lines(mounts);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    for (int i = 0; i < 5; ++i) words >> word;
    if (word == "/") return true;
  }
  return false;
}

// "(00.012) Error (criu/files.c:12): text" without what stands before the text.
std::string text_of(std::string_view line) {
  const std::size_t at = line.find("): ", line.find("Error ("));
  return std::string(at == std::string_view::npos ? line : line.substr(at + 3));
}

#if defined(__x86_64__)
// Where the traced process of breakpoints_work() is to stop.
[[gnu::noinline]] void pass_by() { asm volatile("" ::: "memory"); }
#endif

}  // namespace

tl::expected<std::string, std::string> check_criu(const std::string& criu, const std::string& mountinfo) {
  const auto asked = base::run_program({.words = {criu, "--version"}, .patience = kCheckPatience});
  if (!asked)
    return tl::unexpected(fmt::format("{}; install the package criu, or name it with --criu", asked.error().message));
  const std::string version = version_in(asked->out);
  if (::atoi(version.c_str()) < kLeastVersion)
    return tl::unexpected(fmt::format("{} is version {}, but checkpoints need {}.0 or newer (Debian 13 has it)", criu,
                                      version.empty() ? "unknown" : version, kLeastVersion));
  // CRIU finds files by the mounts that it sees. In a chroot these may lack the one that holds the root folder.
  const auto mounts = base::read_file_at(AT_FDCWD, mountinfo.c_str(), 16 << 20);
  if (mounts && !has_root_mount(*mounts))
    return tl::unexpected(
        std::string("criu cannot work in a chroot whose root folder is no mount: mount --bind FOLDER FOLDER first"));
  const auto checked = base::run_program({.words = {criu, "check"}, .patience = kCheckPatience});
  if (!checked) return tl::unexpected(checked.error().message);
  if (checked->exit_code != 0)
    return tl::unexpected(fmt::format("{} cannot work here: {}", criu, criu_reason(checked->out + checked->err)));
  return version;
}

bool breakpoints_work() {
#if defined(__x86_64__)
  const pid_t traced = ::fork();
  if (traced < 0) return true;
  if (traced == 0) {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(1);
    ::raise(SIGSTOP);
    pass_by();
    ::_exit(0);
  }
  int status = 0;
  if (::waitpid(traced, &status, 0) != traced || !WIFSTOPPED(status))
    return true;  // tracing is forbidden: no criu works
  constexpr std::size_t kEnable = 7, kFirst = 1;
  const auto set = [&](std::size_t number, std::size_t value) {
    const std::size_t at = offsetof(struct user, u_debugreg) + number * sizeof(std::size_t);
    return ::ptrace(PTRACE_POKEUSER, traced, at, value) == 0;
  };
  const bool tried = set(0, reinterpret_cast<std::size_t>(&pass_by)) && set(kEnable, kFirst) &&
                     ::ptrace(PTRACE_CONT, traced, nullptr, nullptr) == 0;
  const bool stopped = tried && ::waitpid(traced, &status, 0) == traced && WIFSTOPPED(status);
  if (!tried || stopped) {
    ::kill(traced, SIGKILL);
    ::waitpid(traced, nullptr, 0);
  }
  return stopped;
#else
  return true;
#endif
}

void avoid_breakpoints() {
  // One of the faults that CRIU's own tests inject. Versions without breakpoints take it for none.
  if (!breakpoints_work()) ::setenv("CRIU_FAULT", "130", 1);
}

bool can_pre_dump(const std::string& criu) {
  const auto asked =
      base::run_program({.words = {criu, "check", "--feature", "mem_dirty_track"}, .patience = kCheckPatience});
  return asked && asked->exit_code == 0;
}

std::vector<std::string> pre_dump_command(const std::string& criu, const CriuFolders& folders, pid_t init) {
  return {criu,         "pre-dump",   "--tree",     std::to_string(init), "--images-dir", folders.images,
          "--work-dir", folders.work, "--log-file", kCriuPreDumpLog,      "-v2",          "--manage-cgroups=ignore",
          "--track-mem"};
}

std::vector<std::string> dump_command(const std::string& criu, const CriuFolders& folders, pid_t init,
                                      const std::vector<std::string>& streams, const std::string& parent) {
  std::vector<std::string> words{criu,
                                 "dump",
                                 "--tree",
                                 std::to_string(init),
                                 "--images-dir",
                                 folders.images,
                                 "--work-dir",
                                 folders.work,
                                 "--log-file",
                                 kCriuDumpLog,
                                 "-v2",
                                 "--leave-stopped",
                                 "--manage-cgroups=ignore",
                                 "--file-locks",
                                 "--link-remap",
                                 "--ghost-limit",
                                 kGhostLimit};
  for (const std::string& name : streams) {
    if (name.starts_with(kExternalFile)) words.insert(words.end(), {"--external", name});
  }
  if (!parent.empty()) words.insert(words.end(), {"--track-mem", "--prev-images-dir", parent});
  return words;
}

void take_turn() {
  // Where only root can write: a user who held the lock would hold up all dumps.
  const int lock = ::open("/run/dfrs-criu.lock", O_RDWR | O_CREAT | O_NOFOLLOW, 0600);  // not closed by exec
  if (lock >= 0) ::flock(lock, LOCK_EX);
}

void remove_mount_point() {
  constexpr const char* kMountPoint = "/proc.crtools";
  ::umount2(kMountPoint, MNT_DETACH);
  ::rmdir(kMountPoint);
}

std::vector<std::string> restore_command(const std::string& criu, const CriuFolders& folders,
                                         const std::vector<std::pair<int, std::string>>& streams) {
  std::vector<std::string> words{criu,
                                 "restore",
                                 "--restore-detached",
                                 "--images-dir",
                                 folders.images,
                                 "--work-dir",
                                 folders.work,
                                 "--log-file",
                                 kCriuRestoreLog,
                                 "-v2",
                                 "--pidfile",
                                 kCriuPidFile,
                                 "--manage-cgroups=ignore",
                                 "--file-locks"};
  for (const auto& [fd, name] : streams) {
    words.emplace_back("--inherit-fd");
    // CRIU strips the first letter of a file's name, which is a slash in a path. Given the whole name, it would reopen
    // the file and seek to its old position.
    words.push_back(fmt::format("fd[{}]:{}", fd, name.starts_with(kExternalFile) ? name.substr(1) : name));
  }
  return words;
}

std::string criu_reason(std::string_view log) {
  for (const Sign& sign : kSigns) {
    if (log.find(sign.text) != std::string_view::npos) return std::string(sign.reason);
  }
  // The first error is the cause, later ones its consequences; but one that every run has says nothing.
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = std::min(log.find('\n', at), log.size());
    const std::string_view line = log.substr(at, end - at);
    at = end + 1;
    if (line.find("Error (") != std::string_view::npos && line.find("Can't setup RLIMIT") == std::string_view::npos)
      return "CRIU says: " + text_of(line).substr(0, 300);
  }
  return "CRIU failed and said nothing";
}

std::string stream_name(int fd) {
  struct stat about{};
  char name[PATH_MAX];
  const ssize_t length = ::readlink(fmt::format("/proc/self/fd/{}", fd).c_str(), name, sizeof name);
  if (length <= 0 || ::fstat(fd, &about) != 0) return {};
  const std::string text(name, static_cast<std::size_t>(length));
  if (S_ISFIFO(about.st_mode) && text.starts_with("pipe:")) return text;
  if (!text.starts_with('/')) return {};
  const auto info = base::read_file_at(AT_FDCWD, fmt::format("/proc/self/fdinfo/{}", fd), 1 << 16);
  constexpr std::string_view kMount = "mnt_id:";
  const std::size_t at = info ? info->find(kMount) : std::string::npos;
  if (at == std::string::npos) return {};
  return fmt::format("{}{:x}:{:x}]", kExternalFile, std::strtoul(info->c_str() + at + kMount.size(), nullptr, 10),
                     about.st_ino);
}

}  // namespace dfrs::shim
