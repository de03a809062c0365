// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/io/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/files.h"
#include "sim/errors.h"

namespace dfrs::sim {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 16;

// Not mkstemp: its files are readable by their owner alone, and a result should have the permissions of any new file.
int create_temporary(const std::string& path, std::string& temporary, UnfinishedFile& file) {
  static std::atomic<unsigned> serial{0};
  for (;;) {
    temporary = fmt::format("{}.{}-{}.tmp", path, ::getpid(), serial++);
    const int fd = file.create(temporary);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
}

// Makes the rename durable. Errors are ignored: some file systems cannot sync a folder.
void sync_folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const base::Fd fd(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd) ::fsync(fd.get());
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (path_.empty()) throw IoError("the name of the output is empty; give a file or - for standard output");
  if (path_ == "-") {
    fd_ = STDOUT_FILENO;
    return;
  }
  // Renaming onto a symbolic link would replace the link, not what it points to.
  std::error_code ignored;
  if (std::filesystem::is_symlink(path_, ignored)) {
    const std::filesystem::path target = std::filesystem::weakly_canonical(path_, ignored);
    if (!ignored) path_ = target.string();
  }
  struct stat status{};
  if (::stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd_ < 0) fail("cannot open for writing", errno);
    return;
  }
  fd_ = create_temporary(path_, temporary_, unfinished_);
  if (fd_ < 0) {
    const int error = errno;
    temporary_.clear();
    fail("cannot create", error);
  }
}

OutputFile::~OutputFile() { discard(); }

void OutputFile::write(std::string_view text) {
  buffer_.append(text);
  if (buffer_.size() >= kBuffer) flush();
}

void OutputFile::commit() {
  flush();
  if (path_ == "-") {
    fd_ = -1;
    return;
  }
  if (!temporary_.empty() && ::fsync(fd_) != 0) fail("cannot write", errno);
  if (::close(std::exchange(fd_, -1)) != 0) fail("cannot write", errno);
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot rename the finished file", errno);
  unfinished_.finish();
  temporary_.clear();
  sync_folder_of(path_);
}

void OutputFile::flush() {
  if (fd_ < 0) throw IoError(fmt::format("{}: the output is already closed", path_));
  if (const auto done = base::write_all(fd_, buffer_); !done) fail("cannot write", done.error());
  buffer_.clear();
}

void OutputFile::fail(const char* what, int error) {
  const std::string name = path_ == "-" ? "<stdout>" : path_;
  discard();
  throw IoError(fmt::format("{}: {}: {}", name, what, std::strerror(error)));
}

void OutputFile::discard() noexcept {
  if (fd_ >= 0 && path_ != "-") ::close(fd_);
  fd_ = -1;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  unfinished_.finish();
  temporary_.clear();
}

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw IoError(fmt::format("{}: cannot create this folder: {}", path, error.message()));
}

void write_file(const std::string& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace dfrs::sim
