// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/line_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "base/files.h"

namespace dfrs::record {
namespace {

// A line is a step, and no cluster needs this much. The limit keeps damaged files from exhausting memory.
constexpr std::size_t kMaxLine = std::size_t{1} << 30;

tl::unexpected<RecordError> fail(std::string message, bool unreadable) {
  return tl::unexpected<RecordError>(RecordError{std::move(message), unreadable});
}

class TextLines final : public LineSource {
 public:
  explicit TextLines(std::string_view text) : rest_(text) {}
  tl::expected<bool, RecordError> next(std::string& line) override {
    const std::size_t end = rest_.find('\n');
    if (end == std::string_view::npos) return false;
    line = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return true;
  }
  bool cut_off() const override { return !rest_.empty(); }

 private:
  std::string_view rest_;
};

// gzread() passes plain files through unchanged.
class FileLines final : public LineSource {
 public:
  FileLines(gzFile file, std::string path) : path_(std::move(path)), buffer_(std::size_t{1} << 18), file_(file) {}
  ~FileLines() override { ::gzclose_r(file_); }
  FileLines(const FileLines&) = delete;
  FileLines& operator=(const FileLines&) = delete;

  tl::expected<bool, RecordError> next(std::string& line) override {
    line.clear();
    for (;;) {
      if (at_ == size_) {
        const auto filled = fill();
        if (!filled) return filled;
        if (!*filled) {
          cut_off_ = cut_off_ || !line.empty();
          return false;
        }
      }
      const char* begin = buffer_.data() + at_;
      const void* end = std::memchr(begin, '\n', size_ - at_);
      const std::size_t length =
          end != nullptr ? static_cast<std::size_t>(static_cast<const char*>(end) - begin) : size_ - at_;
      if (line.size() + length > kMaxLine) return fail(fmt::format("{}: a line without an end", path_), false);
      line.append(begin, length);
      at_ += length + (end != nullptr ? 1 : 0);
      if (end != nullptr) return true;
    }
  }
  bool cut_off() const override { return cut_off_; }

 private:
  tl::expected<bool, RecordError> fill() {
    if (ended_) return false;
    errno = 0;
    const int got = ::gzread(file_, buffer_.data(), static_cast<unsigned>(buffer_.size()));
    if (got <= 0) {
      ended_ = true;
      int code = Z_OK;
      const char* why = ::gzerror(file_, &code);
      if (code == Z_BUF_ERROR) {  // the gzip data is cut off
        cut_off_ = true;
      } else if (code == Z_ERRNO) {
        return fail(fmt::format("{}: cannot be read: {}", path_, std::strerror(errno)), true);
      } else if (code != Z_OK && code != Z_STREAM_END) {
        return fail(fmt::format("{}: damaged: {}", path_, why), false);
      }
      return false;
    }
    at_ = 0;
    size_ = static_cast<std::size_t>(got);
    return true;
  }

  std::string path_;
  std::vector<char> buffer_;
  gzFile file_ = nullptr;
  std::size_t at_ = 0;
  std::size_t size_ = 0;
  bool ended_ = false;
  bool cut_off_ = false;
};

}  // namespace

tl::expected<std::unique_ptr<LineSource>, RecordError> open_lines(const std::string& path) {
  base::Fd fd(path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return fail(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)), true);
  struct stat status{};
  if (::fstat(fd.get(), &status) == 0 && S_ISDIR(status.st_mode))
    return fail(fmt::format("{}: is a folder", path), true);
  const gzFile file = ::gzdopen(fd.get(), "rb");
  if (file == nullptr) return fail(fmt::format("{}: no memory to read it", path), true);
  fd.release();
  return std::make_unique<FileLines>(file, path);
}

std::unique_ptr<LineSource> lines_of(std::string_view text) { return std::make_unique<TextLines>(text); }

}  // namespace dfrs::record
