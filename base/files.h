// SPDX-License-Identifier: GPL-2.0-or-later
// File descriptors, and whole files and folders by descriptor. Errors are errno values; nothing throws but for memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace dfrs::base {

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
  /// Gives the descriptor away: the caller closes it.
  int release() { return std::exchange(fd_, -1); }
  /// Closes it now, for callers that must know whether what was written is on its way to the disk.
  tl::expected<void, int> close();

 private:
  int fd_ = -1;
};

/// From the descriptor's position to the end. At most max_bytes; more is EFBIG.
tl::expected<std::string, int> read_all(int fd, std::size_t max_bytes);
tl::expected<void, int> write_all(int fd, std::string_view text);

// Below, `at` is AT_FDCWD for an absolute path, or a folder for a path below it. Symbolic links at the end of a path
// are not followed.

tl::expected<Fd, int> open_folder(int at, const std::string& path);
/// At most max_bytes; a longer file is EFBIG.
tl::expected<std::string, int> read_file_at(int at, const std::string& path, std::size_t max_bytes = 1 << 20);
/// Into a file that is there, in one write() as the kernel's own files want it.
tl::expected<void, int> write_existing_at(int at, const std::string& path, std::string_view text);
/// Replaces a file in one step: written beside it (hidden) and renamed, so that readers see the old or the new text.
tl::expected<void, int> replace_file_at(int at, const std::string& name, std::string_view text, unsigned mode);
/// Names in a folder, in no order, without . and ..; `folders_only` leaves other entries out.
tl::expected<std::vector<std::string>, int> list_folder(int folder, bool folders_only = false);

}  // namespace dfrs::base
