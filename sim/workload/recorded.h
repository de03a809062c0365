// SPDX-License-Identifier: GPL-2.0-or-later
// The record of a live run as a problem instance, to simulate other algorithms on its jobs.
#pragma once

#include <string>
#include <vector>

#include "record/record_reader.h"
#include "sim/errors.h"
#include "sim/host/simulation.h"

namespace dfrs::sim {

struct RecordedRun {
  Instance instance;               ///< jobs that completed within the record; times relative to `origin`
  RunResult measured;              ///< how they ran live: start, end, pauses, moves
  bool marked = false;             ///< some could not keep their work or leave their nodes: all have marks of pauses
  Seconds origin = 0;              ///< the instance's time 0 in the record's time, a multiple of the period
  record::EngineSetup setup;       ///< of the record's last engine
  std::vector<std::string> notes;  ///< what could not be taken over, as sentences for users
};

/// Reads the rest of a record. The processing time of a job is its virtual time when it left. A node has the largest
/// capacity that it showed while usable. Errors: kExitInput, also if no job completed within the record or no node was
/// usable; kExitIo.
Result<RecordedRun> read_recorded_run(record::RecordReader& reader, const std::string& name);

/// Errors: kExitIo, kExitInput.
Result<record::RecordReader> open_record(const std::string& path);

/// A record's error as one of the simulator.
Error record_error(const record::RecordError& error);

}  // namespace dfrs::sim
