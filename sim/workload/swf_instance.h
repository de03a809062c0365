// SPDX-License-Identifier: GPL-2.0-or-later
// Records of a log into an instance: what all annotations do alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/workload/fit.h"
#include "sim/workload/swf.h"

namespace dfrs::sim {

/// Adds jobs to an instance whose platform is complete, as far as they fit it.
class SwfInstanceJobs {
 public:
  /// `processors` is how many the machine has. Jobs larger than it are counted in the report and skipped if `lenient`.
  SwfInstanceJobs(const SwfRecords& log, std::int64_t processors, bool lenient, SwfWorkload& workload);
  /// A job with what it has from its record whatever becomes of processors and memory. These are the caller's to set,
  /// before end().
  Job& begin(const SwfJob& record);
  /// Keeps the job begun last if it fits. Errors: InputError for a job larger than the machine, unless lenient.
  void end(const SwfJob& record);
  /// To be called after the last job. Errors: InputError if no job has been added.
  void finish();

 private:
  const SwfRecords& log_;
  std::int64_t processors_;
  bool lenient_;
  SwfWorkload& workload_;
  std::vector<Job>& jobs_;
  PlatformFit fit_;
  std::size_t too_large_ = 0;
  std::size_t first_too_large_ = 0;  // its line
};

}  // namespace dfrs::sim
