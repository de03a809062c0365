// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/line_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

#include "base/files.h"
#include "base/signals.h"

namespace dfrs::record {
namespace {

constexpr std::size_t kBatch = 256 << 10;  // bytes that are written at once instead of after flush_ms

// Writes the bytes of a file, compressed if asked to. Used by the thread alone.
class Output {
 public:
  Output(base::Fd fd, bool compressed) : fd_(std::move(fd)), compressed_(compressed) {}
  ~Output() {
    if (begun_) deflateEnd(&stream_);
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // `last`: completes the file.
  tl::expected<void, std::string> write(std::string_view text, bool last) {
    if (!compressed_) return put(text.data(), text.size());
    if (!begun_) {
      // 15 is the largest window; adding 16 asks for a gzip header.
      if (deflateInit2(&stream_, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return tl::unexpected<std::string>("no memory for gzip");
      begun_ = true;
    }
    std::array<unsigned char, 1 << 15> buffer;
    // zlib does not change its input, although next_in is not const. Its counts are `unsigned`, so long text goes in
    // parts.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    do {
      const std::size_t part = std::min<std::size_t>(text.size(), 1U << 30);
      stream_.avail_in = static_cast<uInt>(part);
      text.remove_prefix(part);
      do {
        stream_.next_out = buffer.data();
        stream_.avail_out = static_cast<uInt>(buffer.size());
        const int code = deflate(&stream_, last && text.empty() ? Z_FINISH : Z_SYNC_FLUSH);
        if (code == Z_STREAM_ERROR) return tl::unexpected<std::string>("gzip failed");
        if (auto done = put(buffer.data(), buffer.size() - stream_.avail_out); !done) return done;
      } while (stream_.avail_out == 0);
    } while (!text.empty());
    return {};
  }

 private:
  tl::expected<void, std::string> put(const void* data, std::size_t size) {
    const auto done = base::write_all(fd_.get(), {static_cast<const char*>(data), size});
    if (!done) return tl::unexpected<std::string>(fmt::format("cannot be written: {}", std::strerror(done.error())));
    return {};
  }

  base::Fd fd_;
  bool compressed_;
  bool begun_ = false;
  z_stream stream_{};
};

}  // namespace

// Shared with the thread, which outlives the LineWriter when the disk hangs.
struct LineWriter::Shared {
  Shared(base::Fd fd, bool compressed, const RecordLimits& limits)
      : output(std::move(fd), compressed), flush(limits.flush_ms) {}

  void run() {
    std::unique_lock lock(mutex);
    while (!done) {
      wake.wait(lock, [&] { return stop || !waiting.empty(); });
      wake.wait_for(lock, flush, [&] { return stop || waiting.size() >= kBatch; });
      writing.swap(waiting);
      in_work = writing.size();
      const bool last = stop;
      lock.unlock();
      auto written = output.write(writing, last);
      writing.clear();
      lock.lock();
      in_work = 0;
      done = last || !written;
      if (!written) so_far = std::move(written);
    }
    finished.notify_all();
  }

  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable finished;
  Output output;
  std::chrono::milliseconds flush;
  std::string waiting;
  std::string writing;  // used by the thread alone, without the lock
  std::size_t in_work = 0;
  tl::expected<void, std::string> so_far;  // how writing went
  bool stop = false;
  bool done = false;
};

tl::expected<std::unique_ptr<LineWriter>, std::string> LineWriter::create(const std::string& path,
                                                                          const RecordLimits& limits) {
  base::Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0640));
  if (!fd) {
    const int error = errno;
    return tl::unexpected<std::string>(error == EEXIST
                                           ? fmt::format("{}: exists already, and a record needs a new file", path)
                                           : fmt::format("{}: cannot be made: {}", path, std::strerror(error)));
  }
  auto shared = std::make_shared<Shared>(std::move(fd), path.ends_with(".gz"), limits);
  // The thread must not take the host's signals, and a file size limit (SIGXFSZ) must not end the host.
  const base::SignalsBlocked blocked;
  std::thread([shared] { shared->run(); }).detach();
  return std::unique_ptr<LineWriter>(new LineWriter(std::move(shared), limits));
}

LineWriter::LineWriter(std::shared_ptr<Shared> shared, const RecordLimits& limits)
    : shared_(std::move(shared)), limits_(limits) {}

LineWriter::~LineWriter() { (void)close(std::chrono::milliseconds{0}); }

tl::expected<void, std::string> LineWriter::close(std::chrono::milliseconds patience) {
  std::unique_lock lock(shared_->mutex);
  shared_->stop = true;
  shared_->wake.notify_all();
  if (!shared_->finished.wait_for(lock, patience, [&] { return shared_->done; })) {
    return tl::unexpected<std::string>(
        fmt::format("the disk does not keep up: {} bytes wait for it", shared_->waiting.size() + shared_->in_work));
  }
  return shared_->so_far;
}

tl::expected<void, std::string> LineWriter::append(std::string_view line) {
  const std::uint64_t size = line.size() + 1;
  if (limits_.max_bytes != 0 && bytes_ + size > limits_.max_bytes) {
    return tl::unexpected<std::string>(fmt::format("has reached its greatest size, {} bytes", limits_.max_bytes));
  }
  const std::lock_guard lock(shared_->mutex);
  if (!shared_->so_far) return shared_->so_far;
  if (shared_->waiting.size() + size > limits_.max_waiting_bytes) {
    return tl::unexpected<std::string>(
        fmt::format("the disk does not keep up: {} bytes wait for it", shared_->waiting.size()));
  }
  shared_->waiting += line;
  shared_->waiting += '\n';
  bytes_ += size;
  if (shared_->waiting.size() == size || shared_->waiting.size() >= kBatch) shared_->wake.notify_all();
  return {};
}

}  // namespace dfrs::record
