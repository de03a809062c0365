// SPDX-License-Identifier: GPL-2.0-or-later
// How good a full schedule is (Streit 2003, section 3.2), with the reduced future of its section 6.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/batch/planning_queue.h"

namespace dfrs {

/// Lower is better.
enum class ScheduleQuality : std::uint8_t {
  makespan,           ///< MS: the last end
  response,           ///< ART: average of end - submission
  response_by_width,  ///< ARTwW: the same, weighted by nodes
};

/// "MS", "ART", "ARTwW".
const char* schedule_quality_name(ScheduleQuality quality);

/// Waiting jobs that count; those that start earliest, at least one. Running jobs always count.
struct ReducedFuture {
  std::uint32_t first_jobs = 0;  ///< so many of them (of equal starts those submitted first); 0: all
  Seconds within = kNever;       ///< those that start by so long from now
};

/// Quality of the schedule made of running jobs, reservations and `plan`; jobs that can never run do not count. 0 for
/// an empty one. O(jobs), with first_jobs O(jobs log jobs). `scratch` is for reuse.
double schedule_quality(ScheduleQuality quality, const PlanningQueue& queue, const Plan& plan, Seconds now,
                        const ReducedFuture& future, Plan& scratch);

}  // namespace dfrs
