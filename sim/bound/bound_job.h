// SPDX-License-Identifier: GPL-2.0-or-later
// A job as the bounds see it.
#pragma once

#include <vector>

#include "policy/core/units.h"
#include "sim/bound/bound.h"
#include "sim/errors.h"
#include "sim/host/instance.h"

namespace dfrs::sim {

/// A job with work to do between `release` and its deadline.
struct BoundJob {
  Seconds release = 0;
  Seconds size = 0;  ///< max(run_time, floor), > 0
  double work = 0;   ///< reference-node seconds, > 0, at most rate x size
  double rate = 0;   ///< work per second at full speed, in reference nodes: cpu_need x tasks, > 0

  /// The instant by which a stretch of at most `stretch` needs the job complete.
  Seconds deadline(double stretch) const { return release + stretch * size; }
};

/// The instance's jobs that have work, by release date. Jobs without work have a stretch of 1 in every schedule.
/// Errors: see stretch_lower_bound. O(n log n).
Result<std::vector<BoundJob>> bound_jobs(const Instance& instance, const BoundOptions& options);

}  // namespace dfrs::sim
