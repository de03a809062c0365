// SPDX-License-Identifier: GPL-2.0-or-later
// File descriptors, and whole files and folders read and written through them. Errors are errno values; only
// std::bad_alloc is thrown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace dfrs::base {

/// Owns an open file descriptor.
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
  /// Gives up ownership: the caller closes the descriptor.
  int release() { return std::exchange(fd_, -1); }
  /// Closes the descriptor and reports errors, for callers that must know whether their writes reached the kernel.
  tl::expected<void, int> close();

 private:
  int fd_ = -1;
};

/// Reads from the descriptor's position to the end. Error EFBIG if that is more than max_bytes.
tl::expected<std::string, int> read_all(int fd, std::size_t max_bytes);
/// Writes all of `text`, in as many write() calls as it takes.
tl::expected<void, int> write_all(int fd, std::string_view text);

// Below, `at` is AT_FDCWD for an absolute path, or the descriptor of the folder that a relative path starts from. None
// of these functions follows a symbolic link in the last part of a path.

tl::expected<Fd, int> open_folder(int at, const std::string& path);
/// Error EFBIG if the file is longer than max_bytes.
tl::expected<std::string, int> read_file_at(int at, const std::string& path, std::size_t max_bytes = 1 << 20);
/// Writes an existing file in a single write(), as the kernel's own files require. Error EIO if that writes only a
/// part.
tl::expected<void, int> write_existing_at(int at, const std::string& path, std::string_view text);
/// Replaces a file atomically: writes a hidden file beside it and renames that, so that readers see either the old or
/// the new text.
tl::expected<void, int> replace_file_at(int at, const std::string& name, std::string_view text, unsigned mode);
/// Names of the entries of a folder, in no particular order, without . and .. ; with `folders_only` subfolders alone.
tl::expected<std::vector<std::string>, int> list_folder(int folder, bool folders_only = false);

}  // namespace dfrs::base
