// SPDX-License-Identifier: GPL-2.0-or-later
// An allocation as a timetable of each site: RR-5724, section 4.3.2, step 4.
#pragma once

#include <span>
#include <vector>

#include "studies/divisible/rules/deadlines.h"
#include "studies/divisible/rules/model.h"

namespace dfrs::divisible {

/// A site works on a job from `begin` to `end`.
struct Piece {
  JobIndex job = 0;
  Seconds begin = 0;
  Seconds end = 0;
};

/// Pieces by site, in order, without overlap.
using Timetable = std::vector<std::vector<Piece>>;

/// Online: each part in its interval. Jobs for which it is the last part on this site come first, by SWRPT as of the
/// interval's begin; the others follow, by SWRPT too.
Timetable keep_intervals(const Platform& platform, std::span<const Task> tasks, const Allocation& allocation);

/// Online-EDF: each site works from `now` on without a break on what it has of the jobs, in the order of the intervals
/// in which its part of them ends, equal ones by SWRPT.
Timetable pull_forward(const Platform& platform, std::span<const Task> tasks, const Allocation& allocation,
                       Seconds now);

/// Online-EGDF: the jobs in the order of the intervals in which all their work ends, equal ones by SWRPT. Jobs without
/// any part come last.
std::vector<JobIndex> by_last_interval(std::span<const Task> tasks, const Allocation& allocation);

/// Carries a timetable out.
class PlanRunner {
 public:
  void start(Timetable timetable);
  /// Jobs that the timetable left a rest of (by rounding) get what is free, by SWRPT.
  void decide(const View& view, Decision& decision);

 private:
  Timetable timetable_;
  std::vector<std::size_t> next_;  // by site: the first piece that is not over
  std::vector<Seconds> last_end_;  // by job
  std::vector<JobIndex> left_;
};

}  // namespace dfrs::divisible
