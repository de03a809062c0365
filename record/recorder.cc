// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/recorder.h"

#include <fmt/format.h>

#include <filesystem>

#include "dfrs-config.h"

namespace dfrs::record {

tl::expected<void, std::string> Recorder::on(const std::string& path, const RecordLimits& limits) noexcept {
  try {
    auto writer = LineWriter::create(path, limits);
    if (!writer) return tl::unexpected<std::string>(writer.error());
    off();
    const std::lock_guard lock(mutex_);
    writer_ = std::move(*writer);
    begun_ = false;
    state_ = {};
    state_.on = true;
    state_.path = path;
    return {};
  } catch (const std::exception& error) {
    return tl::unexpected<std::string>(std::string(error.what()));
  }
}

void Recorder::off(std::chrono::milliseconds patience) noexcept {
  std::unique_ptr<LineWriter> old;
  {
    const std::lock_guard lock(mutex_);
    old = std::move(writer_);
    begun_ = false;
    state_.on = false;
  }
  if (!old) return;
  // Without the lock, so that steps can go on meanwhile.
  try {
    const auto closed = old->close(patience);
    if (closed) return;
    const std::lock_guard lock(mutex_);
    if (!state_.on) state_.intact = closed;
    if (log_) log_(1, fmt::format("the end of a record is missing: {}", closed.error()));
  } catch (...) {
    // Out of memory: there is no way to report it.
  }
}

RecordingState Recorder::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

bool Recorder::wants_new_engine() const noexcept {
  const std::lock_guard lock(mutex_);
  return writer_ != nullptr && !begun_;
}

void Recorder::begin(const Algorithm& algorithm, const EngineOptions& options,
                     const std::optional<HostRules>& host) noexcept {
  const std::lock_guard lock(mutex_);
  if (!writer_) return;
  try {
    lines_.reset();
    const std::string line = header_line(EngineSetup::of(algorithm, options, host), PACKAGE_VERSION);
    if (auto done = writer_->append(line); !done) return fail(std::move(done.error()));
    begun_ = true;
    state_.bytes = writer_->bytes();
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

void Recorder::step(const ClusterView& view, const Estimates& estimates, std::span<const Event> events,
                    const tl::expected<const Decisions*, Error>& result) noexcept {
  const std::lock_guard lock(mutex_);
  if (!writer_ || !begun_) return;
  try {
    line_.clear();
    lines_.append(line_, view, estimates, events, result);
    if (auto done = writer_->append(line_); !done) return fail(std::move(done.error()));
    ++state_.steps;
    state_.bytes = writer_->bytes();
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

// The caller holds the lock.
void Recorder::fail(std::string why) noexcept {
  try {
    state_.on = false;
    begun_ = false;
    if (log_) log_(1, fmt::format("recording has stopped: {}: {}", state_.path.value_or("?"), why));
    state_.intact = tl::unexpected<std::string>(std::move(why));
  } catch (...) {
    // Out of memory: there is no way to report it.
  }
  writer_.reset();
}

std::string unused_record_path(const std::string& path) {
  std::string stem = path;
  std::string ending;
  for (const std::string_view part : {".gz", ".jsonl"}) {
    if (!stem.ends_with(part)) continue;
    ending.insert(0, part);
    stem.resize(stem.size() - part.size());
  }
  std::error_code ignored;
  std::string free = path;
  for (unsigned number = 1;
       std::filesystem::symlink_status(free, ignored).type() != std::filesystem::file_type::not_found; ++number) {
    if (number > 1'000'000) break;  // a folder that cannot be searched: creating the file will say why
    free = fmt::format("{}.{}{}", stem, number, ending);
  }
  return free;
}

}  // namespace dfrs::record
