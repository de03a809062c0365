// SPDX-License-Identifier: GPL-2.0-or-later
// Tells which of the processes that share a store are alive.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/files.h"
#include "sim/errors.h"

namespace dfrs::sim {

/// Holds a number that no other live holder has: the file's first unlocked byte. The kernel unlocks the byte when the
/// process ends, however it ends, so no clock, process id or heartbeat is needed. Holders in one process are distinct.
/// The file stays empty and is not removed, because another process may be about to open it.
class WorkerSlot {
 public:
  /// Errors: the file cannot be created or locked, or 4,096 others hold slots.
  static Result<WorkerSlot> take(const std::string& path);

  std::int64_t number() const { return number_; }
  /// True if a live holder has that number. Errors: the locks cannot be read.
  Result<bool> alive(std::int64_t number) const;

 private:
  WorkerSlot(std::string path, base::Fd file, std::int64_t number)
      : path_(std::move(path)), file_(std::move(file)), number_(number) {}

  std::string path_;
  base::Fd file_;
  std::int64_t number_;
};

}  // namespace dfrs::sim
