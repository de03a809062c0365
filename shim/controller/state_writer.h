// SPDX-License-Identifier: GPL-2.0-or-later
// Writes states to the file from a thread of its own, so that a slow disk does not delay decisions.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <tl/expected.hpp>

#include "shim/controller/log.h"
#include "shim/controller/state_file.h"

namespace dfrs::shim {

class StateWriter {
 public:
  /// `log` must outlive the writer.
  StateWriter(StateFile file, const Log& log);
  /// Writes what is still pending.
  ~StateWriter();
  StateWriter(const StateWriter&) = delete;
  StateWriter& operator=(const StateWriter&) = delete;

  /// Queues the state, replacing one that still waits. Returns at once.
  void put(SavedState state);
  /// Waits until everything queued was written or has failed.
  void flush();

 private:
  tl::expected<void, std::string> store(const SavedState& state) const;
  void run();

  StateFile file_;
  const Log* log_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<SavedState> next_;
  bool writing_ = false;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace dfrs::shim
