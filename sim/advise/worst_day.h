// SPDX-License-Identifier: GPL-2.0-or-later
// The day on which jobs wait most today, under today's policy and under another.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/advise/study.h"
#include "timeline/schedule.h"

namespace dfrs::sim {

struct WorstDay {
  std::size_t sample = 0;  ///< in Trial::samples
  Seconds from = 0;        ///< a day after the sample's first submission, or a multiple of it
  Seconds to = 0;
  double waiting = 0;                         ///< jobs that wait, on average over the day
  std::vector<timeline::Schedule> schedules;  ///< that part of each trial's schedule, in the order of the trials
};

/// The day of the first trial's runs with the most waiting jobs, and all trials on it. Nothing if no job ever waits.
/// The samples of all trials are the same. Errors: those of run_study.
Result<std::optional<WorstDay>> worst_day(const std::vector<Trial>& trials, const StudyOptions& options);

/// The part of a schedule between two instants: the stays that reach into it, whole, and the jobs that were in the
/// system, with all that is told of them.
timeline::Schedule part_of(const timeline::Schedule& schedule, Seconds from, Seconds to);

}  // namespace dfrs::sim
