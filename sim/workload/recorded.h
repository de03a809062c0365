// SPDX-License-Identifier: GPL-2.0-or-later
// The record of a live run as a problem instance: what would another algorithm have made of these jobs?
#pragma once

#include <string>
#include <vector>

#include "record/record_reader.h"
#include "sim/host/simulation.h"

namespace dfrs::sim {

struct RecordedRun {
  Instance instance;               ///< jobs that completed within the record; times from `origin` on
  RunResult measured;              ///< what became of them live: start, end, pauses, moves
  Seconds origin = 0;              ///< the instance's 0 in the record's time, a multiple of the period
  record::EngineSetup setup;       ///< of the record's last engine
  std::vector<std::string> notes;  ///< what could not be taken over, in sentences for people; empty: nothing
};

/// Reads the rest of a record. The processing time of a job is the virtual time that it had reached when it left. Nodes
/// have the largest capacity that they showed while usable.
/// Errors: InputError, also if no job completed within the record; IoError.
RecordedRun read_recorded_run(record::RecordReader& reader, const std::string& name);

/// Errors: IoError, InputError.
record::RecordReader open_record(const std::string& path);

/// A record's error as the exception that says the same.
[[noreturn]] void throw_record_error(const record::RecordError& error);

}  // namespace dfrs::sim
