// SPDX-License-Identifier: GPL-2.0-or-later
// Progress of jobs: their virtual time, which policies see, and their work, which determines when they end.
//
// The two are the same as long as no job requests more CPU than it uses. A job that does reaches full speed before its
// yield reaches 1; from the first such job on, work has separate clocks.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/host/job_slots.h"

namespace dfrs::sim {

class JobProgress {
 public:
  explicit JobProgress(JobSlots& slots) : slots_(slots) {}

  /// True if the job requests more CPU than it uses.
  static bool asks_too_much(const Job& job) { return job.asked() != job.cpu_need; }
  /// Gives work separate clocks, which start at the jobs' virtual times. O(slots).
  void keep_work_apart() {
    apart_ = true;
    work_.clear();
    for (const JobView& view : slots_.views()) work_.push_back(view.clock);
  }

  /// Call this once the job has a slot. Amortised O(1).
  void submit(JobSlot job, bool too_much) {
    if (too_much && !apart_) keep_work_apart();
    if (!apart_) return;
    if (job >= work_.size()) work_.resize(job + 1);
    work_[job] = {};
  }

  /// Work done so far, in seconds at full speed.
  Seconds done(JobSlot job, Seconds now) { return work(job).at(now); }
  /// The job's work clock; the clock of its view unless work has separate clocks.
  VirtualClock& work(JobSlot job) { return apart_ ? work_[job] : slots_.view(job).clock; }

  /// Stops the job's progress.
  void stop(JobSlot job, Seconds now) {
    set_rate(slots_.view(job).clock, 0, now);
    if (apart_) set_rate(work_[job], 0, now);
  }
  /// Continues the job at another yield. A penalty in progress is served to its end.
  void set_yield(JobSlot job, double yield, Seconds now) {
    JobView& view = slots_.view(job);
    set_rate(view.clock, yield, now);
    view.yield = yield;
  }
  /// When the job ends at its present speed, which follows from its view's yield and need; infinite at speed 0. Sets
  /// the work clock to that speed.
  Seconds end_of(JobSlot job, Seconds now) {
    const JobView& view = slots_.view(job);
    const TrueJob& truth = slots_.truth(job);
    double speed = view.yield;
    VirtualClock& clock = work(job);
    if (apart_) {
      speed = std::min(1.0, view.yield * view.cpu_need / truth.cpu_need);
      set_rate(clock, speed, now);
      clock.since = std::max(clock.since, view.clock.since);  // a penalty delays both
    }
    const Seconds left = std::max(0.0, truth.run_time - clock.base);
    return std::max(now, clock.since) + left / speed;
  }

 private:
  // Advances the clock to now, then changes its rate.
  static void set_rate(VirtualClock& clock, double rate, Seconds now) {
    if (clock.since < now) {
      clock.base = clock.at(now);
      clock.since = now;
    }
    clock.rate = rate;
  }

  JobSlots& slots_;
  bool apart_ = false;
  std::vector<VirtualClock> work_;  // by slot, if apart_
};

}  // namespace dfrs::sim
