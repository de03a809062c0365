// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/checkpoint/private_folder.h"

#include <errno.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <filesystem>

namespace dfrs::shim {

namespace fs = std::filesystem;

tl::expected<void, std::string> make_private_folder(const std::string& folder, const char* option) {
  std::error_code error;
  const fs::path with_slash = fs::absolute(fs::path(folder) / "", error).lexically_normal();
  fs::create_directories(with_slash.parent_path().parent_path(), error);
  // With this mode from the beginning: another node may be looking at it already.
  if (error || (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST))
    return tl::unexpected(fmt::format("{}: {}; see {}", folder, error ? error.message() : strerror(errno), option));
  struct stat about{};
  if (::stat(folder.c_str(), &about) != 0 || about.st_uid != geteuid() || (about.st_mode & 077) != 0)
    return tl::unexpected(
        fmt::format("{}: must belong to user id {} with mode 0700 (chmod 700): images hold the memory of jobs; see {}",
                    folder, geteuid(), option));
  return {};
}

std::string mib(std::uint64_t bytes) { return fmt::format("{} MiB", (bytes + (1 << 20) - 1) >> 20); }

tl::expected<void, std::string> check_room(const std::string& folder, std::uint64_t bytes) {
  struct statvfs disk{};
  if (::statvfs(folder.c_str(), &disk) != 0) return {};
  const std::uint64_t left = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
  if (left >= bytes) return {};
  return tl::unexpected(
      fmt::format("the disk of {} has only {} left, and the image takes up to {}", folder, mib(left), mib(bytes)));
}

}  // namespace dfrs::shim
