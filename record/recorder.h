// SPDX-License-Identifier: GPL-2.0-or-later
// Writes the record of a run: what the engine was shown at each step and what it answered, enough to ask another engine
// the same and compare (docs/reference/record-format.md).
//
// A record begins with the first step of an engine: what a policy remembers is not in any view. So a host that begins
// to record in the middle of a run makes a new engine, as after a restart:
//
//   if (recorder.wants_new_engine() && now < wake_at_of_the_last_step) {   // else a tick that is due would be lost
//     engine = Engine::create(algorithm, options);  recorder.begin(algorithm, options);  events = {resync};
//   }
//   result = engine->step(view, estimates, events);
//   recorder.step(view, estimates, events, result);
//
// Nothing here throws or blocks on a disk: steps go to a buffer, which a thread of its own compresses and writes. When
// that fails, or the file would grow too large, recording stops and the log says why; the host goes on.
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
  std::optional<std::string> path;     ///< of this record or the last one; nothing: there was none
  std::uint64_t steps = 0;             ///< in it so far
  std::uint64_t bytes = 0;             ///< of text, before compression
  std::optional<std::string> stopped;  ///< why it ended by itself; nothing: it did not
};

class Recorder {
 public:
  /// `log` says why recording stopped; called from any thread. May be empty.
  explicit Recorder(RecordLog log = {}) : log_(std::move(log)) {}
  ~Recorder() { off(); }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Begins a record in a new file; compressed if its name ends with ".gz". A record that is on goes on if the new file
  /// cannot be made, else it ends. Error: a message with the path and the reason. Any thread.
  tl::expected<void, std::string> on(const std::string& path, const RecordLimits& limits = {}) noexcept;
  /// Ends the record: all steps so far are written, for which it waits at most for `patience`; if they are not,
  /// RecordingState::stopped says why. Any thread.
  void off(std::chrono::milliseconds patience = std::chrono::seconds{2}) noexcept;
  RecordingState state() const;

  /// A record is on and waits for the first step of a new engine. Any thread.
  bool wants_new_engine() const noexcept;
  /// The next step is the first of a new engine, made of these. To be called for every engine, recording or not.
  /// `host`: how the host treats paused jobs, where it follows rules.
  void begin(const Algorithm& algorithm, const EngineOptions& options,
             const std::optional<HostRules>& host = {}) noexcept;
  /// What the engine was asked and what it said. Cost: O(slots + nodes + tasks of changed jobs); no I/O.
  void step(const ClusterView& view, const Estimates& estimates, std::span<const Event> events,
            const tl::expected<const Decisions*, Error>& result) noexcept;

 private:
  void fail(std::string why) noexcept;

  mutable std::mutex mutex_;
  RecordLog log_;
  std::unique_ptr<LineWriter> writer_;  // null: off
  bool begun_ = false;                  // the header is written
  StepLines lines_;
  RecordingState state_;
  std::string line_;
};

/// `path`, or where that is taken the first free one of path.1, path.2, ... (before ".gz", ".jsonl", ".jsonl.gz" if it
/// ends so), for records that begin by themselves.
std::string unused_record_path(const std::string& path);

}  // namespace dfrs::record
