// SPDX-License-Identifier: GPL-2.0-or-later
// Tells which of the processes that share a store are alive.
#pragma once

#include <cstdint>
#include <string>

#include "base/files.h"

namespace dfrs::sim {

/// Holds a number that no other live holder has: the file's first unlocked byte. The kernel unlocks the byte when the
/// process ends, however it ends, so no clock, process id or heartbeat is needed. Holders in one process are distinct.
/// The file stays empty and is not removed, because another process may be about to open it.
class WorkerSlot {
 public:
  /// Errors: IoError if the file cannot be created or locked, or if 4,096 others hold slots.
  explicit WorkerSlot(const std::string& path);
  WorkerSlot(const WorkerSlot&) = delete;
  WorkerSlot& operator=(const WorkerSlot&) = delete;

  std::int64_t number() const { return number_; }
  /// True if a live holder has that number. Errors: IoError.
  bool alive(std::int64_t number) const;

 private:
  std::string path_;
  base::Fd file_;
  std::int64_t number_ = -1;
};

}  // namespace dfrs::sim
