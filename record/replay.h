// SPDX-License-Identifier: GPL-2.0-or-later
// Replays a record: gives a new engine the recorded views and events, and compares its answers with the recorded ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "record/record_reader.h"
#include "record/story/story.h"

namespace dfrs::record {

/// The first answer that differs from the recorded one.
struct ReplayDifference {
  std::uint64_t step = 0;  ///< from 1
  std::size_t line = 0;    ///< in the record
  Seconds now = 0;
  std::optional<JobId>
      job;               ///< the first whose decisions differ; nullopt: the error, the order or the wake-up time does
  std::string recorded;  ///< in words, for that job or for the step
  std::string replayed;
};

struct ReplaySummary {
  std::uint64_t steps = 0;
  std::uint64_t engines = 0;            ///< one, plus restarts and changes of configuration
  std::vector<std::string> algorithms;  ///< of the engines, each once, in order of appearance
  std::string version;                  ///< of the dfrs that wrote the record
  std::uint64_t jobs = 0;               ///< in any view
  Seconds first = 0;                    ///< instant of the first step
  Seconds last = 0;                     ///< instant of the last step
  std::uint64_t starts = 0;             ///< as recorded
  std::uint64_t pauses = 0;
  std::uint64_t moves = 0;
  std::uint64_t resumes = 0;
  std::uint64_t yield_changes = 0;
  std::uint64_t resyncs = 0;          ///< steps with a resync event
  std::uint64_t errors = 0;           ///< steps that ended in an error
  bool cut_off = false;               ///< the end of the record is missing
  bool lacks_triage_options = false;  ///< EngineSetup::lacks_triage_options holds for some engine
  std::optional<ReplayDifference> difference;
};

/// Replays to the end or to the first difference, bit for bit. `stories`: follows the replayed steps, which explain
/// then; may be null. Errors: an invalid record, or an engine that cannot be made. Cost: that of the engine's calls.
tl::expected<ReplaySummary, RecordError> replay(RecordReader& reader, Stories* stories = nullptr);

}  // namespace dfrs::record
