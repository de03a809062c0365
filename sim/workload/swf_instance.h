// SPDX-License-Identifier: GPL-2.0-or-later
// Converts the records of a log to an instance: the part common to all annotations.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sim/workload/swf.h"

namespace dfrs::sim {

/// An instance on `platform`, a machine of `processors`. `annotate` sets tasks, CPU need and memory of each record's
/// job. If `lenient`, jobs larger than the machine are counted in the report and skipped. Errors: kExitInput for a job
/// larger than the machine, unless lenient, or if no job is left.
Result<SwfWorkload> swf_workload(SwfRecords& log, const std::string& name, const SwfConventions& conventions,
                                 Platform platform, std::int64_t processors, bool lenient,
                                 const std::function<void(const SwfJob& record, Job& job)>& annotate);

}  // namespace dfrs::sim
