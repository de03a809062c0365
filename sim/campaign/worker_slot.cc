// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/campaign/worker_slot.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace dfrs::sim {
namespace {

constexpr std::int64_t kMostSlots = 4096;

// Locks of the open file description. POSIX locks of the process would vanish as soon as any part of the process closes
// the file, and would not tell two stores of one process apart.
struct flock byte_lock(std::int64_t byte) {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  return lock;
}

}  // namespace

Result<WorkerSlot> WorkerSlot::take(const std::string& path) {
  base::Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!file) return io_error(fmt::format("{}: cannot open this file: {}", path, std::strerror(errno)));
  for (std::int64_t byte = 0; byte < kMostSlots; ++byte) {
    struct flock lock = byte_lock(byte);
    if (::fcntl(file.get(), F_OFD_SETLK, &lock) == 0) return WorkerSlot(path, std::move(file), byte);
    if (errno != EAGAIN && errno != EACCES) break;
  }
  return io_error(fmt::format("{}: cannot lock a byte of this file: {}", path, std::strerror(errno)));
}

Result<bool> WorkerSlot::alive(std::int64_t number) const {
  if (number == number_) return true;
  struct flock lock = byte_lock(number);
  if (::fcntl(file_.get(), F_OFD_GETLK, &lock) != 0) {
    return io_error(fmt::format("{}: cannot read the locks of this file: {}", path_, std::strerror(errno)));
  }
  return lock.l_type != F_UNLCK;
}

}  // namespace dfrs::sim
