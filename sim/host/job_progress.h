// SPDX-License-Identifier: GPL-2.0-or-later
// How far jobs have come: their virtual time, which policies see, and their work, which decides when they end.
//
// The two are one as long as no job asks for more CPU than it uses. A job that was given more than it can use runs at
// full speed with less than all of it; from the first such job on, work has clocks of its own.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/host/job_slots.h"

namespace dfrs::sim {

class JobProgress {
 public:
  explicit JobProgress(JobSlots& slots) : slots_(slots) {}

  /// A job that asks for more CPU than it uses.
  static bool asks_too_much(const Job& job) { return job.asked() != job.cpu_need; }
  /// From now on work has clocks of its own. Until now all jobs did what their virtual time says. O(slots).
  void keep_work_apart() {
    apart_ = true;
    work_.clear();
    for (const JobView& view : slots_.views()) work_.push_back(view.clock);
  }

  /// To be called when the job has got its slot. Amortised O(1).
  void submit(JobSlot job, bool too_much) {
    if (too_much && !apart_) keep_work_apart();
    if (!apart_) return;
    if (job >= work_.size()) work_.resize(job + 1);
    work_[job] = {};
  }

  /// Seconds of full speed that the job has done.
  Seconds done(JobSlot job, Seconds now) { return work(job).at(now); }
  /// The job's work clock, which is its view's where work is not kept apart.
  VirtualClock& work(JobSlot job) { return apart_ ? work_[job] : slots_.view(job).clock; }

  /// The job makes no progress from now on.
  void stop(JobSlot job, Seconds now) {
    set_rate(slots_.view(job).clock, 0, now);
    if (apart_) set_rate(work_[job], 0, now);
  }
  /// The job goes on at another yield, a penalty being served to its end.
  void set_yield(JobSlot job, double yield, Seconds now) {
    JobView& view = slots_.view(job);
    set_rate(view.clock, yield, now);
    view.yield = yield;
  }
  /// When the job ends if it goes on like this; kNever or infinite at speed 0. Its work goes on at the speed that its
  /// view's yield and need give.
  Seconds end_of(JobSlot job, Seconds now) {
    const JobView& view = slots_.view(job);
    const TrueJob& truth = slots_.truth(job);
    double speed = view.yield;
    VirtualClock& clock = work(job);
    if (apart_) {
      speed = std::min(1.0, view.yield * view.cpu_need / truth.cpu_need);
      set_rate(clock, speed, now);
      clock.since = std::max(clock.since, view.clock.since);  // a penalty holds up both
    }
    const Seconds left = std::max(0.0, truth.run_time - clock.base);
    return std::max(now, clock.since) + left / speed;
  }

 private:
  // Brings the clock up to now and lets it go on at another rate.
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
