// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/dynp/quality.h"

#include <algorithm>
#include <array>

namespace dfrs {
namespace {

// Sums up a schedule, job by job.
struct Tally {
  Seconds last_end = 0;
  double response = 0;
  double weighted = 0;
  double jobs = 0;
  double width = 0;

  void add(const PlanJob& job, Seconds end, double nodes) {
    const Seconds took = end - job.submit;
    last_end = jobs == 0 ? end : std::max(last_end, end);
    response += took;
    weighted += nodes * took;
    jobs += 1;
    width += nodes;
  }
};

}  // namespace

const char* schedule_quality_name(ScheduleQuality quality) {
  constexpr std::array<const char*, 3> kNames{"MS", "ART", "ARTwW"};
  return kNames[static_cast<std::size_t>(quality)];
}

double schedule_quality(ScheduleQuality quality, const PlanningQueue& queue, const Plan& plan, Seconds now,
                        const ReducedFuture& future, Plan& scratch) {
  Tally tally;
  for (const PlanningQueue::Running& running : queue.running()) {
    tally.add(queue.job(running.job), std::max(running.end, now), running.nodes);
  }
  const auto add = [&](const PlannedStart& planned) {
    tally.add(queue.job(planned.job), planned.end, queue.job(planned.job).nodes);
  };
  const bool all = future.first_jobs == 0 && future.within == kNever;
  if (!all) scratch.clear();
  const auto consider = [&](const PlannedStart& planned) {
    if (planned.start == kNever) return;
    if (all) {
      add(planned);
    } else {
      scratch.push_back(planned);
    }
  };
  for (const JobSlot job : queue.reservations()) {
    const PlanJob& facts = queue.job(job);
    consider({job, facts.planned, facts.planned + facts.duration});
  }
  for (const PlannedStart& planned : plan) consider(planned);
  if (!all) {
    std::sort(scratch.begin(), scratch.end(), [&](const PlannedStart& a, const PlannedStart& b) {
      return a.start != b.start ? a.start < b.start : queue.job(a.job).order < queue.job(b.job).order;
    });
    std::size_t count = 0;
    for (const PlannedStart& planned : scratch) {
      if (count > 0 && future.first_jobs != 0 && count >= future.first_jobs) break;
      if (count > 0 && planned.start > now + future.within) break;
      add(planned);
      ++count;
    }
  }
  if (tally.jobs == 0) return 0;
  switch (quality) {
    case ScheduleQuality::makespan:
      return tally.last_end;
    case ScheduleQuality::response:
      return tally.response / tally.jobs;
    case ScheduleQuality::response_by_width:
      return tally.width > 0 ? tally.weighted / tally.width : 0;
  }
  return 0;
}

}  // namespace dfrs
