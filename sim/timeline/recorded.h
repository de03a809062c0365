// SPDX-License-Identifier: GPL-2.0-or-later
// The schedule of a recorded run, live or simulated.
#pragma once

#include "record/record_reader.h"
#include "record/story/story.h"
#include "sim/errors.h"
#include "timeline/schedule.h"

namespace dfrs::sim {

/// Reads to the end of the record. Jobs that had not ended have open stays. `stories`: of the same record, replayed;
/// null: not known. Errors: kExitInput for an invalid record.
Result<timeline::Schedule> recorded_schedule(record::RecordReader& reader, const record::Stories* stories);

}  // namespace dfrs::sim
