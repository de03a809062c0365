// SPDX-License-Identifier: GPL-2.0-or-later
// Turns an allocation into a timetable per site: RR-5724, section 4.3.2, step 4.
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

/// Online: each part in its interval. Jobs whose last part on this site is in the interval come first, by SWRPT at the
/// interval's beginning; the others follow, also by SWRPT.
Timetable keep_intervals(const Platform& platform, std::span<const Task> tasks, const Allocation& allocation);

/// Online-EDF: each site works without gaps from `now` on its parts of jobs, ordered by the interval in which they end;
/// ties go by SWRPT.
Timetable pull_forward(const Platform& platform, std::span<const Task> tasks, const Allocation& allocation,
                       Seconds now);

/// Online-EGDF: the jobs, ordered by the interval in which their work ends; ties go by SWRPT. Jobs without parts come
/// last.
std::vector<JobIndex> by_last_interval(std::span<const Task> tasks, const Allocation& allocation);

/// Executes a timetable.
class PlanRunner {
 public:
  void start(Timetable timetable);
  /// Jobs with work left over (by rounding) get what is free, by SWRPT.
  void decide(const View& view, Decision& decision);

 private:
  Timetable timetable_;
  std::vector<std::size_t> next_;  // by site: the first unfinished piece
  std::vector<Seconds> last_end_;  // by job
  std::vector<JobIndex> left_;
};

}  // namespace dfrs::divisible
