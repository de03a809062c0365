// SPDX-License-Identifier: GPL-2.0-or-later
// Records a run: what the engine was shown at each step and what it answered, so that another engine can replay the
// steps and its answers be compared (docs/reference/record-format.md).
//
// A record starts with the first step of an engine, because no view shows what a policy remembers. A host that starts
// to record in the middle of a run therefore makes a new engine, as after a restart:
//
//   if (recorder.wants_new_engine() && now < wake_at_of_the_last_step) {   // otherwise a tick that is due would be
//   lost
//     engine = Engine::create(algorithm, options);  recorder.begin(algorithm, options);  events = {resync};
//   }
//   result = engine->step(view, estimates, events);
//   recorder.step(view, estimates, events, result);
//
// Nothing here throws or waits for the disk: steps go to a buffer, which a background thread compresses and writes.
// When that fails, or the file would grow too large, recording stops and the log says why; the host carries on.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>

#include "policy/core/engine.h"
#include "record/engine_setup.h"
#include "record/line_writer.h"
#include "record/step_lines.h"

namespace dfrs::record {

/// For status and dfrsctl.
struct RecordingState {
  bool on = false;
  std::optional<std::string> path;         ///< of this record, or of the last one; nullopt before the first
  std::uint64_t steps = 0;                 ///< recorded so far
  std::uint64_t bytes = 0;                 ///< written so far, before compression
  tl::expected<void, std::string> intact;  ///< error: why the record ended before it was turned off, or lacks its end
};

class Recorder {
 public:
  /// `log` receives the reason when recording stops; it is called from any thread. May be empty.
  explicit Recorder(RecordLog log = {}) : log_(std::move(log)) {}
  ~Recorder() { off(); }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Starts a record in a new file, compressed if its name ends with ".gz". This ends the current record, unless the
  /// new file cannot be created. Error: a message with the path and the reason. Any thread.
  tl::expected<void, std::string> on(const std::string& path, const RecordLimits& limits = {}) noexcept;
  /// Ends the record and waits at most `patience` until all its steps are written. If they are not,
  /// RecordingState::intact says why. Any thread.
  void off(std::chrono::milliseconds patience = std::chrono::seconds{2}) noexcept;
  RecordingState state() const;

  /// Whether a record is on and waits for the first step of a new engine. Any thread.
  bool wants_new_engine() const noexcept;
  /// Announces that the next step is the first of a new engine with these options. Call it for every engine, whether a
  /// record is on or not. `host`: the simulator's rules; nullopt for a live host.
  void begin(const Algorithm& algorithm, const EngineOptions& options,
             const std::optional<HostRules>& host = {}) noexcept;
  /// Records what the engine was asked and what it answered. O(slots + nodes + tasks of changed jobs); no I/O.
  void step(const ClusterView& view, const Estimates& estimates, std::span<const Event> events,
            const tl::expected<const Decisions*, Error>& result) noexcept;

 private:
  void fail(std::string why) noexcept;

  mutable std::mutex mutex_;
  RecordLog log_;
  std::unique_ptr<LineWriter> writer_;  // null: no record is on
  bool begun_ = false;                  // the header is written
  StepLines lines_;
  RecordingState state_;
  std::string line_;
};

/// `path`, or if that exists the first free name of path.1, path.2, ... The number goes before a final ".gz", ".jsonl"
/// or
/// ".jsonl.gz". For records that start without being asked for.
std::string unused_record_path(const std::string& path);

}  // namespace dfrs::record
