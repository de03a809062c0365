// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/checkpoint/other_users.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"

namespace dfrs::shim {
namespace {

constexpr uid_t kNobody = 65534;

}  // namespace

tl::expected<void, std::string> can_dump_others() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return tl::unexpected(fmt::format("a pipe: {}", strerror(errno)));
  const base::Fd read_end(ends[0]);
  base::Fd write_end(ends[1]);
  const pid_t other = ::fork();
  if (other < 0) return tl::unexpected(fmt::format("fork: {}", strerror(errno)));
  if (other == 0) {
    const char changed = ::syscall(SYS_setresuid, kNobody, kNobody, kNobody) == 0 ? 'y' : 'n';
    (void)!::write(ends[1], &changed, 1);
    for (;;) ::pause();
  }
  write_end = base::Fd();
  char changed = 'n';
  (void)!::read(read_end.get(), &changed, 1);
  rlimit limit{};
  const bool able = changed == 'y' && ::prlimit(other, RLIMIT_NOFILE, nullptr, &limit) == 0;
  const int error = errno;
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
  if (changed != 'y') return tl::unexpected(std::string("only root can checkpoint the programs of other users"));
  if (able) return {};
  return tl::unexpected(
      fmt::format("CRIU needs the capability CAP_SYS_RESOURCE for programs of users, and dfrsd does not "
                  "have it here ({}): start dfrsd with it (CapabilityBoundingSet of its unit, or the "
                  "container's capabilities)",
                  strerror(error)));
}

}  // namespace dfrs::shim
