// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/io/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

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
    if (fd < 0 && errno != EEXIST) return fd;
    if (fd < 0) continue;
    // The lock says that the file has a writer. Where locks do not work, left-over files stay.
    struct stat status{};
    if (::flock(fd, LOCK_EX) != 0 || ::fstat(fd, &status) != 0 || status.st_nlink > 0) return fd;
    ::close(fd);  // another process took it for left over before it was locked
    file.finish();
  }
}

// True for "PID-SERIAL.tmp".
bool is_temporary_suffix(std::string_view suffix) {
  if (!suffix.ends_with(".tmp")) return false;
  suffix.remove_suffix(4);
  const std::size_t dash = suffix.find('-');
  const auto digits = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  return dash != std::string_view::npos && digits(suffix.substr(0, dash)) && digits(suffix.substr(dash + 1));
}

// The names in a folder that may be temporary files, as they were when this process first wrote there: commands write
// thousands of files into one folder.
const std::vector<std::string>& temporary_names(const std::filesystem::path& folder) {
  static std::mutex mutex;
  static std::map<std::filesystem::path, std::vector<std::string>> known;
  const std::lock_guard lock(mutex);
  const auto [found, is_new] = known.try_emplace(folder);
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; is_new && !error && at != end; at.increment(error)) {
    std::string name = at->path().filename().string();
    if (name.ends_with(".tmp")) found->second.push_back(std::move(name));
  }
  return found->second;
}

// Removes temporary files for `path` that a killed process has left. Errors are ignored: they are only in the way.
void remove_left_over(const std::string& path) {
  const std::filesystem::path whole(path);
  const std::string prefix = whole.filename().string() + ".";
  const std::filesystem::path folder = whole.has_parent_path() ? whole.parent_path() : ".";
  for (const std::string& name : temporary_names(folder)) {
    if (!name.starts_with(prefix) || !is_temporary_suffix(std::string_view(name).substr(prefix.size()))) continue;
    const std::filesystem::path file = folder / name;
    const base::Fd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(file.c_str());
  }
}

// Makes the rename durable. Errors are ignored: some file systems cannot sync a folder.
void sync_folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const base::Fd fd(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd) ::fsync(fd.get());
}

}  // namespace

Result<OutputFile> OutputFile::create(std::string path) {
  if (path.empty()) return io_error("the name of the output is empty; give a file or - for standard output");
  OutputFile file(std::move(path));
  return file.open().map([&] { return std::move(file); });
}

Result<void> OutputFile::open() {
  if (path_ == "-") {
    fd_ = STDOUT_FILENO;
    return {};
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
    if (fd_ < 0) return fail("cannot open for writing", errno);
    return {};
  }
  remove_left_over(path_);
  fd_ = create_temporary(path_, temporary_, unfinished_);
  if (fd_ < 0) {
    const int error = errno;
    temporary_.clear();
    return fail("cannot create", error);
  }
  return {};
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      unfinished_(std::move(other.unfinished_)),
      buffer_(std::move(other.buffer_)),
      fd_(std::exchange(other.fd_, -1)),
      error_(std::move(other.error_)) {}

OutputFile::~OutputFile() { discard(); }

Result<void> OutputFile::write(std::string_view text) {
  if (error_) return tl::unexpected(*error_);
  buffer_.append(text);
  if (buffer_.size() >= kBuffer) return flush();
  return {};
}

Result<void> OutputFile::commit() {
  if (auto flushed = flush(); !flushed) return flushed;
  if (path_ == "-") {
    fd_ = -1;
    return {};
  }
  if (!temporary_.empty() && ::fsync(fd_) != 0) return fail("cannot write", errno);
  if (::close(std::exchange(fd_, -1)) != 0) return fail("cannot write", errno);
  if (temporary_.empty()) return {};
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return fail("cannot rename the finished file", errno);
  unfinished_.finish();
  temporary_.clear();
  sync_folder_of(path_);
  return {};
}

Result<void> OutputFile::flush() {
  if (error_) return tl::unexpected(*error_);
  if (fd_ < 0) return io_error(fmt::format("{}: the output is already closed", path_));
  if (const auto done = base::write_all(fd_, buffer_); !done) return fail("cannot write", done.error());
  buffer_.clear();
  return {};
}

tl::unexpected<Error> OutputFile::fail(const char* what, int error) {
  const std::string name = path_ == "-" ? "<stdout>" : path_;
  error_ = Error{.code = kExitIo,
                 .message = fmt::format("{}: {}: {}", name, what, std::strerror(error)),
                 .reader_gone = path_ == "-" && error == EPIPE};
  discard();
  return tl::unexpected(*error_);
}

void OutputFile::discard() noexcept {
  if (fd_ >= 0 && path_ != "-") ::close(fd_);
  fd_ = -1;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  unfinished_.finish();
  temporary_.clear();
}

Result<void> make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return io_error(fmt::format("{}: cannot create this folder: {}", path, error.message()));
  return {};
}

Result<void> write_file(const std::string& path, std::string_view text) {
  return OutputFile::create(path).and_then(
      [&](OutputFile file) { return file.write(text).and_then([&] { return file.commit(); }); });
}

}  // namespace dfrs::sim
