// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/agent/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>

namespace dfrs::shim {
namespace {

int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

}  // namespace

Fd::~Fd() {
  if (fd_ >= 0) close(fd_);
}

tl::expected<Fd, int> open_folder(int at, const std::string& path) {
  const int fd = openat(at, path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return tl::unexpected(errno);
  return Fd(fd);
}

tl::expected<std::string, int> read_file_at(int at, const std::string& path, std::size_t max_bytes) {
  const Fd file(openat(at, path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file) return tl::unexpected(errno);
  std::string text;
  char buffer[4096];
  while (true) {
    const ssize_t n = read(file.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return tl::unexpected(errno);
    if (n == 0) return text;
    if (static_cast<std::size_t>(n) > max_bytes - text.size()) return tl::unexpected(EFBIG);
    text.append(buffer, static_cast<std::size_t>(n));
  }
}

int write_existing_at(int at, const std::string& path, std::string_view text) {
  const Fd file(openat(at, path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW));
  if (!file) return errno;
  ssize_t n = -1;
  do n = write(file.get(), text.data(), text.size());
  while (n < 0 && errno == EINTR);
  if (n < 0) return errno;
  return static_cast<std::size_t>(n) == text.size() ? 0 : EIO;
}

int replace_file_at(int at, const std::string& name, std::string_view text, unsigned mode) {
  const std::string beside = "." + name + ".new";
  unlinkat(at, beside.c_str(), 0);  // of one that was interrupted
  Fd file(openat(at, beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!file) return errno;
  int error = write_all(file.get(), text);
  if (error == 0 && renameat(at, beside.c_str(), at, name.c_str()) != 0) error = errno;
  if (error != 0) unlinkat(at, beside.c_str(), 0);
  return error;
}

tl::expected<std::vector<std::string>, int> list_folder(int folder, bool folders_only) {
  // A descriptor of its own: reading moves its position.
  const int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return tl::unexpected(errno);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(fd), closedir);
  if (!stream) {
    const int error = errno;
    close(fd);
    return tl::unexpected(error);
  }
  std::vector<std::string> names;
  while (true) {
    errno = 0;
    const dirent* const entry = readdir(stream.get());
    if (entry == nullptr) break;
    if (folders_only && entry->d_type != DT_DIR) continue;
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) names.emplace_back(entry->d_name);
  }
  if (errno != 0) return tl::unexpected(errno);
  return names;
}

}  // namespace dfrs::shim
