// SPDX-License-Identifier: GPL-2.0-or-later
// Asks an engine what the one of a record was asked, and compares the answers bit for bit.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "policy/yield/lp_solver.h"
#include "record/record_reader.h"

namespace dfrs::record {

/// The first answer that is not the recorded one.
struct ReplayDifference {
  std::uint64_t step = 0;  ///< from 1
  std::size_t line = 0;    ///< of the record
  Seconds now = 0;
  std::optional<JobId> job;  ///< the first whose decision differs; none: the rest (error, wake-up time) does
  std::string recorded;      ///< in words, of that job or the whole
  std::string replayed;
};

struct ReplaySummary {
  std::uint64_t steps = 0;
  std::uint64_t engines = 0;            ///< restarts and changes of configuration in the record, the first included
  std::vector<std::string> algorithms;  ///< those of the engines, each once, in order
  std::string version;                  ///< that wrote the record
  std::uint64_t jobs = 0;               ///< seen in it
  Seconds first = 0;                    ///< time of the first step
  Seconds last = 0;                     ///< of the last
  std::uint64_t starts = 0;             ///< as recorded
  std::uint64_t pauses = 0;
  std::uint64_t moves = 0;
  std::uint64_t resumes = 0;
  std::uint64_t yield_changes = 0;
  std::uint64_t resyncs = 0;          ///< steps with a resync event
  std::uint64_t errors = 0;           ///< steps that ended in an error
  bool cut_off = false;               ///< the record's end is missing
  bool lacks_triage_options = false;  ///< EngineSetup::lacks_triage_options of an engine
  std::optional<ReplayDifference> difference;
};

/// Reads to the end, or to the first difference. `solver` for the OPT=AVG of /stretch-per; may be null without it.
/// Errors: a record that is not sound, or an engine that cannot be made. Cost: that of the engine's calls.
tl::expected<ReplaySummary, RecordError> replay(RecordReader& reader, LpSolver* solver);

}  // namespace dfrs::record
