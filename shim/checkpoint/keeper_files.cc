// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/checkpoint/keeper_files.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <utility>

#include "shim/checkpoint/keeper_link.h"

namespace dfrs::shim {
namespace {

constexpr int kMostSlots = 1000;

// How: 0 waits for it, LOCK_NB does not.
base::Fd lock_folder(const std::string& folder, int how) {
  base::Fd lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  while (lock && ::flock(lock.get(), LOCK_EX | how) != 0) {
    if (errno != EINTR) return {};
  }
  return lock;
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

// The start of a process in clock ticks since boot, which with its id names it for good; 0: it is gone.
std::uint64_t start_of(pid_t pid) {
  const std::string stat = base::read_file_at(AT_FDCWD, fmt::format("/proc/{}/stat", pid)).value_or(std::string());
  std::size_t at = stat.rfind(')');
  for (int field = 2; at != std::string::npos && field < 22; ++field) at = stat.find(' ', at + 1);
  return at == std::string::npos ? 0 : std::strtoull(stat.c_str() + at + 1, nullptr, 10);
}

// Of the keeper that had this lock.
bool end_program(const base::Fd& lock) {
  char text[256];
  const ssize_t got = ::pread(lock.get(), text, sizeof text, 0);
  std::istringstream words(std::string(text, got > 0 ? static_cast<std::size_t>(got) : 0));
  pid_t init = 0;
  std::uint64_t start = 0;
  if (!(words >> init >> start) || init <= 1 || start == 0 || start_of(init) != start) return false;
  return ::kill(init, SIGKILL) == 0;
}

}  // namespace

KeeperFiles::KeeperFiles(base::Fd lock, std::string slot, std::string base)
    : lock_(std::move(lock)), slot_(std::move(slot)), base_(std::move(base)) {}

tl::expected<KeeperFiles, std::string> KeeperFiles::take(const std::string& run_dir, std::uint32_t job,
                                                         std::uint32_t restarts, const std::string& name) {
  const std::string folder = run_dir + "/" + kProgramsFolder;
  const base::Fd turn = lock_folder(folder, 0);
  if (!turn) return tl::unexpected(fmt::format("{}: {}", folder, strerror(errno)));
  for (int i = 0; i < kMostSlots; ++i) {
    std::string slot = fmt::format("{}-{}", name, i);
    std::string base = fmt::format("{}/{}.{}.{}", folder, job, restarts, slot);
    base::Fd lock(::open((base + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!lock) return tl::unexpected(fmt::format("{}.lock: {}", base, strerror(errno)));
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) continue;
    end_program(lock);
    ::unlink((base + ".sock").c_str());
    if (::ftruncate(lock.get(), 0) != 0 || (::mkdir((base + ".work").c_str(), 0700) != 0 && errno != EEXIST)) {
      const int error = errno;
      ::unlink((base + ".lock").c_str());
      return tl::unexpected(fmt::format("{}.work: {}", base, strerror(error)));
    }
    return KeeperFiles(std::move(lock), std::move(slot), std::move(base));
  }
  return tl::unexpected(fmt::format("the job runs this program {} times already", kMostSlots));
}

KeeperFiles::~KeeperFiles() {
  if (!lock_) return;
  std::error_code ignored;
  std::filesystem::remove_all(work(), ignored);
  const base::Fd turn = lock_folder(folder_of(base_), 0);
  ::unlink((base_ + ".sock").c_str());
  ::unlink((base_ + ".lock").c_str());
}

tl::expected<base::Fd, std::string> KeeperFiles::listen() const {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = base_ + ".sock";
  if (path.size() >= sizeof address.sun_path)
    return tl::unexpected(fmt::format("{}: the path is too long for a socket; see --run-dir of dfrsd", path));
  memcpy(address.sun_path, path.c_str(), path.size() + 1);
  base::Fd listener(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener || ::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener.get(), 8) != 0)
    return tl::unexpected(fmt::format("{}: {}", path, strerror(errno)));
  return listener;
}

void KeeperFiles::note_init(pid_t init) const {
  const std::string text = fmt::format("{} {}\n", init, start_of(init));
  (void)!::pwrite(lock_.get(), text.data(), text.size(), 0);
}

bool keeper_lives(const std::string& run_dir, const std::string& name) {
  const std::string folder = run_dir + "/" + kProgramsFolder;
  const base::Fd turn = lock_folder(folder, LOCK_NB);
  if (!turn) return true;
  const base::Fd lock(::open(fmt::format("{}/{}.lock", folder, name).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  return lock ? ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0 : errno != ENOENT;
}

bool remove_files_of_dead(const std::string& socket) {
  const std::string base = socket.substr(0, socket.rfind('.'));
  const base::Fd turn = lock_folder(folder_of(socket), LOCK_NB);
  if (!turn) return false;
  const base::Fd lock(::open((base + ".lock").c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!lock && errno != ENOENT) return false;
  if (lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return false;
  const bool ended = lock && end_program(lock);
  std::error_code ignored;
  std::filesystem::remove_all(base + ".work", ignored);
  ::unlink(socket.c_str());
  ::unlink((base + ".lock").c_str());
  return ended;
}

}  // namespace dfrs::shim
