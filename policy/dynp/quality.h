// SPDX-License-Identifier: GPL-2.0-or-later
// The quality of a full schedule (Streit 2003, section 3.2), also for a reduced future (section 6).
#pragma once

#include <cstdint>
#include <vector>

#include "policy/batch/planning_queue.h"

namespace dfrs {

/// Lower is better.
enum class ScheduleQuality : std::uint8_t {
  makespan,           ///< MS: the last end
  response,           ///< ART: the average of end - submission
  response_by_width,  ///< ARTwW: that average weighted by nodes
};

/// "MS", "ART", "ARTwW".
const char* schedule_quality_name(ScheduleQuality quality);

/// Which waiting jobs count: the earliest to start, at least one. Running jobs always count.
struct ReducedFuture {
  std::uint32_t first_jobs = 0;  ///< this many, those submitted first among equal starts; 0: all
  Seconds within = kNever;       ///< those that start within this many seconds from now
};

/// The quality of the schedule that consists of the running jobs, the reservations and `plan`; 0 if it is empty. Jobs
/// that can never run do not count. O(jobs), with a reduced future O(jobs log jobs). `scratch` is storage for reuse.
double schedule_quality(ScheduleQuality quality, const PlanningQueue& queue, const Plan& plan, Seconds now,
                        const ReducedFuture& future, Plan& scratch);

}  // namespace dfrs
