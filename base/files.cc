// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace dfrs::base {

Fd::~Fd() {
  if (fd_ >= 0) ::close(fd_);
}

tl::expected<void, int> Fd::close() {
  if (::close(release()) != 0) return tl::unexpected(errno);
  return {};
}

tl::expected<std::string, int> read_all(int fd, std::size_t max_bytes) {
  std::string text;
  std::array<char, 16384> buffer;
  for (;;) {
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return tl::unexpected(errno);
    if (n == 0) return text;
    if (static_cast<std::size_t>(n) > max_bytes - text.size()) return tl::unexpected(EFBIG);
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

tl::expected<void, int> write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return tl::unexpected(errno);
    if (n == 0) return tl::unexpected(ENOSPC);
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

tl::expected<Fd, int> open_folder(int at, const std::string& path) {
  const int fd = ::openat(at, path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return tl::unexpected(errno);
  return Fd(fd);
}

tl::expected<std::string, int> read_file_at(int at, const std::string& path, std::size_t max_bytes) {
  const Fd file(::openat(at, path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file) return tl::unexpected(errno);
  return read_all(file.get(), max_bytes);
}

tl::expected<void, int> write_existing_at(int at, const std::string& path, std::string_view text) {
  const Fd file(::openat(at, path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW));
  if (!file) return tl::unexpected(errno);
  ssize_t n = -1;
  do n = ::write(file.get(), text.data(), text.size());
  while (n < 0 && errno == EINTR);
  if (n < 0) return tl::unexpected(errno);
  if (static_cast<std::size_t>(n) != text.size()) return tl::unexpected(EIO);
  return {};
}

tl::expected<void, int> replace_file_at(int at, const std::string& name, std::string_view text, unsigned mode) {
  const std::string beside = "." + name + ".new";
  const auto make = [&] { return Fd(::openat(at, beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)); };
  Fd file = make();
  if (!file && errno == EEXIST && ::unlinkat(at, beside.c_str(), 0) == 0) file = make();  // left by an interrupted call
  if (!file) return tl::unexpected(errno);
  auto done = write_all(file.get(), text);
  if (done && ::renameat(at, beside.c_str(), at, name.c_str()) != 0) done = tl::unexpected(errno);
  if (!done) ::unlinkat(at, beside.c_str(), 0);
  return done;
}

tl::expected<std::vector<std::string>, int> list_folder(int folder, bool folders_only) {
  // A second descriptor: reading would move the position of the caller's.
  Fd own(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!own) return tl::unexpected(errno);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(own.get()), ::closedir);
  if (!stream) return tl::unexpected(errno);
  own.release();
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(stream.get());
    if (entry == nullptr) break;
    if (folders_only && entry->d_type != DT_DIR) continue;
    if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0)
      names.emplace_back(entry->d_name);
  }
  if (errno != 0) return tl::unexpected(errno);
  return names;
}

}  // namespace dfrs::base
