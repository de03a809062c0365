// SPDX-License-Identifier: GPL-2.0-or-later
// Appends lines to a file in a background thread, so that callers never wait for the disk.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace dfrs::record {

/// Levels: 1 error, 2 warning, 3 verbose.
using RecordLog = std::function<void(int level, const std::string& message)>;

struct RecordLimits {
  /// Recording stops before the text, uncompressed, exceeds this many bytes; 0: no limit.
  std::uint64_t max_bytes = std::uint64_t{4} << 30;
  /// Recording stops before more bytes than this wait for a disk that does not keep up.
  std::uint64_t max_waiting_bytes = std::uint64_t{64} << 20;
  /// Appended lines are passed to the kernel after at most this many milliseconds.
  unsigned flush_ms = 1000;
};

class LineWriter {
 public:
  /// Creates the file with mode 0640; it must not exist yet. If its name ends with ".gz" it is compressed, and
  /// everything before the last flush can be read even if the end is cut off. Error: a message with the path and the
  /// reason.
  static tl::expected<std::unique_ptr<LineWriter>, std::string> create(const std::string& path,
                                                                       const RecordLimits& limits);
  /// Leaves the rest to the thread and does not wait for it.
  ~LineWriter();

  /// Appends `line` and a newline. Error, which ends the file: a limit is reached, the disk is full, an I/O error.
  tl::expected<void, std::string> append(std::string_view line);
  std::uint64_t bytes() const { return bytes_; }
  /// Completes the file and waits at most `patience` until all of it is written. Error: why the file is incomplete. Do
  /// not call append() afterwards.
  tl::expected<void, std::string> close(std::chrono::milliseconds patience);

 private:
  struct Shared;
  explicit LineWriter(std::shared_ptr<Shared> shared, const RecordLimits& limits);

  std::shared_ptr<Shared> shared_;
  RecordLimits limits_;
  std::uint64_t bytes_ = 0;
};

}  // namespace dfrs::record
