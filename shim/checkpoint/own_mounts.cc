// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/checkpoint/own_mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "base/files.h"

namespace dfrs::shim {
namespace {

constexpr const char* kProc = "/proc";

tl::unexpected<std::string> error_of(const char* what) {
  return tl::unexpected(fmt::format("{}: {}", what, strerror(errno)));
}

// The /proc of another pid namespace has no entry for this process.
bool proc_is_anothers() { return ::access("/proc/self", F_OK) != 0; }

// Runs it in a child and returns its errno; 0: it succeeded.
int in_child(const std::function<int()>& what) {
  const pid_t child = ::fork();
  if (child < 0) return errno;
  if (child == 0) ::_exit(what());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return errno;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

// The mount namespace of a process and its root folder there: setns() alone takes a daemon in a chroot out of it.
struct Place {
  explicit Place(pid_t process)
      : mounts(::open(fmt::format("/proc/{}/ns/mnt", process).c_str(), O_RDONLY | O_CLOEXEC)),
        root(::open(fmt::format("/proc/{}/root", process).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}
  explicit operator bool() const { return mounts && root; }
  bool enter() const {
    return ::setns(mounts.get(), CLONE_NEWNS) == 0 && ::fchdir(root.get()) == 0 && ::chroot(".") == 0;
  }

  base::Fd mounts, root;
};

}  // namespace

tl::expected<void, std::string> unshare_mounts() {
  if (::unshare(CLONE_NEWNS) != 0) return error_of("a mount namespace");
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) return error_of("/ of a mount namespace");
  return {};
}

tl::expected<void, std::string> mount_own_proc() {
  if (::mount("proc", kProc, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0)
    return error_of("a /proc of its own");
  return {};
}

tl::expected<void, std::string> mount_own_proc_of(pid_t init) {
  const base::Fd pids(::open(fmt::format("/proc/{}/ns/pid", init).c_str(), O_RDONLY | O_CLOEXEC));
  const Place place(init);
  if (!pids || !place) return error_of("its namespaces");
  const auto mount_it = [] { return mount_own_proc() ? 0 : errno; };
  // setns() puts only later children into a pid namespace.
  errno = in_child([&] {
    if (!place.enter()) return errno;
    if (proc_is_anothers()) return 0;
    return ::setns(pids.get(), CLONE_NEWPID) != 0 ? errno : in_child(mount_it);
  });
  if (errno != 0) return error_of("a /proc of its own");
  return {};
}

tl::expected<void, std::string> enter_without_own_proc(pid_t init) {
  const Place place(init);
  if (!place || !place.enter()) return error_of("its mount namespace");
  if (proc_is_anothers() && ::umount2(kProc, MNT_DETACH) != 0) return error_of("its /proc");
  return {};
}

}  // namespace dfrs::shim
