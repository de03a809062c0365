// SPDX-License-Identifier: GPL-2.0-or-later
// Records of a log into an instance: what all annotations do alike.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/workload/fit.h"
#include "sim/workload/swf.h"

namespace dfrs::sim {

/// What a job has from its record whatever becomes of processors and memory.
Job basic_job(const SwfJob& record);

/// Adds jobs to an instance whose platform is complete, as far as they fit it.
class SwfInstanceJobs {
 public:
  /// `processors` is how many the machine has. Jobs larger than it are counted in the report and skipped if `lenient`.
  SwfInstanceJobs(const SwfRecords& log, std::int64_t processors, bool lenient, SwfWorkload& workload);
  /// Errors: InputError for a job larger than the machine, unless lenient.
  void add(const SwfJob& record, const Job& job);
  /// To be called after the last job. Errors: InputError if no job has been added.
  void finish();

 private:
  const SwfRecords& log_;
  std::int64_t processors_;
  bool lenient_;
  SwfWorkload& workload_;
  PlatformFit fit_;
  std::size_t too_large_ = 0;
  std::size_t first_too_large_ = 0;  // its line
};

}  // namespace dfrs::sim
