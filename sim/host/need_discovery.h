// SPDX-License-Identifier: GPL-2.0-or-later
// Discovers the CPU needs of jobs by sampling their use at regular intervals (policy/core/measured_need.h).
#pragma once

#include <vector>

#include "policy/core/measured_need.h"
#include "sim/host/job_slots.h"

namespace dfrs::sim {

class NeedDiscovery {
 public:
  /// `interval`: seconds between samples, > 0. All references must outlive it; `progress` must keep work apart.
  NeedDiscovery(const Instance& instance, const NeedRule& rule, Seconds interval, JobSlots& slots,
                JobProgress& progress)
      : instance_(instance),
        rule_(rule),
        interval_(interval),
        slots_(slots),
        progress_(progress),
        samples_(instance.jobs.size()) {}

  /// The time of the next sample; kNever while no job is watched.
  Seconds next_look() const { return next_look_; }
  /// A run of the job has begun or changed nodes. Watches it from now on, or from the end of its penalty.
  void watch(JobSlot job, Seconds now);
  /// Samples all running jobs. Updates the needs that have changed in the jobs' views, and adds an event for each.
  /// O(watched jobs).
  void look(Seconds now, std::vector<Event>& events);

 private:
  struct Sample {
    MeasuredNeed need;
    bool watched = false;
    Seconds since = 0;  // the last sample, or the beginning of the run
    Seconds virtual_time = 0;
    Seconds work = 0;
  };
  void begin_sample(JobSlot job, Seconds since, Seconds now);
  bool measure(JobSlot job, Seconds length, Seconds now);

  const Instance& instance_;
  const NeedRule& rule_;
  Seconds interval_;
  JobSlots& slots_;
  JobProgress& progress_;
  std::vector<Sample> samples_;   // by slot
  std::vector<JobSlot> watched_;  // those that ran at the last sample, and those that began since
  Seconds next_look_ = kNever;
};

}  // namespace dfrs::sim
