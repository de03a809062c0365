// SPDX-License-Identifier: GPL-2.0-or-later
// How each job spent its time from submission to completion: what its stretch consists of.
#pragma once

#include <span>
#include <vector>

#include "sim/host/simulation.h"

namespace dfrs::sim {

/// Seconds. Their sum is the flow time; all but `work` is what the job lost.
struct JobTimes {
  Seconds to_start = 0;  ///< from submission to the first start
  Seconds paused = 0;    ///< without nodes after the first start
  Seconds penalty = 0;   ///< placed and without progress, after a pause or a move
  Seconds shared = 0;    ///< time lost to a yield below 1 while in progress
  Seconds work = 0;      ///< the run time

  Seconds lost() const { return to_start + paused + penalty + shared; }
};

/// Adds up the times during a simulation. Requires known needs and jobs that keep their work. O(events + decisions) per
/// call.
class JobTimesObserver final : public StepObserver {
 public:
  /// `jobs`: of the instance; `penalty`: of the simulation.
  JobTimesObserver(std::size_t jobs, Seconds penalty) : jobs_(jobs), penalty_(penalty) {}
  void on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) override;

  /// By index in Instance::jobs; complete once the simulation has ended.
  const std::vector<JobTimes>& times() const { return times_; }

 private:
  struct Track {
    JobState state = JobState::absent;
    Seconds since = 0;        // when the last count ended
    Seconds penalty_end = 0;  // while running
    double yield = 0;
  };
  void count(JobSlot job, Seconds now);

  std::size_t jobs_;
  Seconds penalty_;
  std::vector<Track> tracks_ = std::vector<Track>(jobs_);
  std::vector<JobTimes> times_ = std::vector<JobTimes>(jobs_);
};

}  // namespace dfrs::sim
