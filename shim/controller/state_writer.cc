// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/state_writer.h"

#include <utility>

#include "base/signals.h"

namespace dfrs::shim {

StateWriter::StateWriter(StateFile file, const Log& log)
    : file_(std::move(file)), log_(&log), thread_(base::thread_without_signals([this] { run(); })) {}

StateWriter::~StateWriter() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void StateWriter::put(SavedState state) {
  {
    const std::lock_guard lock(mutex_);
    next_ = std::move(state);
  }
  changed_.notify_all();
}

void StateWriter::flush() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !next_ && !writing_; });
}

// StateFile::store() without exceptions, which nobody would catch in this thread.
tl::expected<void, std::string> StateWriter::store(const SavedState& state) const {
  try {
    return file_.store(state);
  } catch (const std::exception& e) {
    return tl::unexpected<std::string>(e.what());
  }
}

void StateWriter::run() {
  bool failed = false;  // failures in a row are logged once
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return next_ || stop_; });
    if (!next_) return;
    const SavedState state = std::move(*next_);
    next_.reset();
    writing_ = true;
    lock.unlock();
    const auto stored = store(state);
    if (!stored && !failed) {
      log_->error("{}: the progress of jobs will not survive a restart of slurmctld; will keep trying", stored.error());
    } else if (stored && failed) {
      log_->warn("{} can be written again", file_.path());
    }
    failed = !stored;
    lock.lock();
    writing_ = false;
    changed_.notify_all();
  }
}

}  // namespace dfrs::shim
