// SPDX-License-Identifier: GPL-2.0-or-later
// Which of the processes that share a store are alive.
#pragma once

#include <cstdint>
#include <string>

#include "base/files.h"

namespace dfrs::sim {

/// A number that no other living holder has, in the file's first unlocked byte. The kernel gives the byte free when the
/// process ends, however it ends: no clock, process id or heartbeat is trusted. Holders of one process count as
/// different ones. The file itself stays empty; it is not removed, because another may be about to open it.
class WorkerSlot {
 public:
  /// Errors: IoError if the file cannot be made or locked, or 4,096 others hold slots.
  explicit WorkerSlot(const std::string& path);
  WorkerSlot(const WorkerSlot&) = delete;
  WorkerSlot& operator=(const WorkerSlot&) = delete;

  std::int64_t number() const { return number_; }
  /// Whether somebody holds that number.
  bool alive(std::int64_t number) const;

 private:
  std::string path_;
  base::Fd file_;
  std::int64_t number_ = -1;
};

}  // namespace dfrs::sim
