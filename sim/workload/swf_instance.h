// SPDX-License-Identifier: GPL-2.0-or-later
// Adds the records of a log to an instance: the part common to all annotations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/workload/fit.h"
#include "sim/workload/swf.h"

namespace dfrs::sim {

/// Adds the jobs that fit to an instance with a complete platform.
class SwfInstanceJobs {
 public:
  /// `processors`: of the machine. If `lenient`, larger jobs are counted in the report and skipped.
  SwfInstanceJobs(const SwfRecords& log, std::int64_t processors, bool lenient, SwfWorkload& workload);
  /// Adds a job with the fields that do not depend on the annotation. The caller sets tasks, CPU need and memory before
  /// end().
  Job& begin(const SwfJob& record);
  /// Keeps the job of the last begin() if it fits. Errors: InputError for a job larger than the machine, unless
  /// lenient.
  void end(const SwfJob& record);
  /// Call this after the last job. Errors: InputError if no job has been added.
  void finish();

 private:
  const SwfRecords& log_;
  std::int64_t processors_;
  bool lenient_;
  SwfWorkload& workload_;
  std::vector<Job>& jobs_;
  PlatformFit fit_;
  std::size_t too_large_ = 0;
  std::size_t first_too_large_ = 0;  // line of the first
};

}  // namespace dfrs::sim
