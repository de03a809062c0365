// SPDX-License-Identifier: GPL-2.0-or-later
// Small files and folders by descriptor. Errors are errno values; nothing throws but for memory.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace dfrs::shim {

/// An open descriptor, closed at its end.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd();
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// AT_FDCWD and an absolute path, or a folder and a path below it. Symbolic links at the end are not followed.
tl::expected<Fd, int> open_folder(int at, const std::string& path);
/// At most max_bytes; a longer file is EFBIG.
tl::expected<std::string, int> read_file_at(int at, const std::string& path, std::size_t max_bytes = 1 << 20);
/// Into a file that is there, in one write() as the kernel's own files want it. 0 or errno.
int write_existing_at(int at, const std::string& path, std::string_view text);
/// A whole new file under its name, or the old one stays: written beside it (hidden) and renamed. 0 or errno.
int replace_file_at(int at, const std::string& name, std::string_view text, unsigned mode);
/// Names in a folder, in no order, without . and ..; `folders_only` leaves other entries out.
tl::expected<std::vector<std::string>, int> list_folder(int folder, bool folders_only = false);

}  // namespace dfrs::shim
