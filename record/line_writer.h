// SPDX-License-Identifier: GPL-2.0-or-later
// Appends lines to a file from a thread of its own, so that who makes them never waits for a disk.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace dfrs::record {

/// Levels as in controller.h: 1 error, 2 warning, 3 verbose.
using RecordLog = std::function<void(int level, const std::string& message)>;

struct RecordLimits {
  /// Recording stops before the text (before compression) grows beyond this; 0: no limit.
  std::uint64_t max_bytes = std::uint64_t{4} << 30;
  /// Recording stops when so much waits for a disk that does not keep up.
  std::uint64_t max_waiting_bytes = std::uint64_t{64} << 20;
  /// What was appended is on its way to the kernel after at most this time.
  unsigned flush_ms = 1000;
};

class LineWriter {
 public:
  /// Makes the file (it must not exist; mode 0640). A name that ends with ".gz" is compressed, and after each flush all
  /// that came before it can be read, should the end be cut off.
  static tl::expected<std::unique_ptr<LineWriter>, std::string> create(const std::string& path,
                                                                       const RecordLimits& limits);
  /// Writes what is left, without waiting for it.
  ~LineWriter();

  /// Appends `line` and a newline. Errors, which end the file: no space, a limit, an I/O error.
  tl::expected<void, std::string> append(std::string_view line);
  std::uint64_t bytes() const { return bytes_; }
  /// Completes the file; waits for what is left to be written, at most for `patience`. Errors: why the file is
  /// not complete. append() must not be called afterwards.
  tl::expected<void, std::string> close(std::chrono::milliseconds patience);

 private:
  struct Shared;
  explicit LineWriter(std::shared_ptr<Shared> shared, const RecordLimits& limits);

  std::shared_ptr<Shared> shared_;
  RecordLimits limits_;
  std::uint64_t bytes_ = 0;
};

}  // namespace dfrs::record
