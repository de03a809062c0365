// SPDX-License-Identifier: GPL-2.0-or-later
// Decides whether rate-limited jobs can all meet their deadlines, by a maximum flow from jobs to intervals of time.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/bound/congestion.h"

namespace dfrs::sim {

/// A schedule of a part's jobs on a platform of speed `cpu`: the work done on each job in each interval between
/// neighbouring instants at which a job begins or ends. It never exceeds a rate, the platform or a window, but may
/// leave work undone. Amounts are integers, in units of about 2^-60 of the largest, so that the flow is exact for the
/// rounded part; rounding errors of neighbouring intervals cancel out.
///
/// The graph of jobs x intervals arcs stays implicit, because two numbers per job determine it and a general maximum
/// flow code spends most of its time building it. Memory: O(sum over jobs of the intervals in their windows) if the
/// first schedule leaves work undone, else O(jobs).
class IntervalSchedule {
 public:
  /// `part`: not empty, by increasing begin; it must outlive this object.
  IntervalSchedule(const CongestedPart& part, double cpu);

  /// Schedules each interval in turn: first the work without which a deadline would be missed, then by earliest
  /// deadline. If that leaves work undone, Dinic's algorithm moves work between intervals until all is done or some
  /// jobs prove overloaded: together they have more work than the platform and their rates allow within their windows.
  /// Returns those jobs (indices in the part, increasing), or nothing if all work is done up to an amount that moves no
  /// bound by more than 1e-11. Call this once.
  std::vector<std::uint32_t> overloaded_jobs();

 private:
  using Amount = std::int64_t;

  struct Share {
    Amount limit;  // from the job's rate
    Amount done;
  };
  struct JobState {
    std::uint32_t begin;  // first interval
    std::uint32_t end;    // one past the last
    std::size_t shares;   // index of the first interval's share
    Amount undone;
    std::uint32_t distance;   // see measure_distances
    std::uint32_t candidate;  // next interval to try
  };
  struct IntervalState {
    std::size_t alive;  // index in alive_ of the first job whose window contains the interval
    std::size_t alive_end;
    Amount spare;
    std::uint32_t distance;
    std::size_t candidate;  // next index in alive_ to try
  };
  /// Work of a job that goes into this interval instead of the previous move's interval.
  struct Move {
    std::uint32_t job;
    std::uint32_t interval;
  };

  void make_windows();
  void make_shares();
  /// Returns the undone work. Without shares it may stop at the first excess over the tolerance.
  template <bool kKeepShares>
  Amount run_urgent_first();
  Share& share(std::uint32_t job, std::uint32_t interval) {
    return shares_[jobs_[job].shares + (interval - jobs_[job].begin)];
  }
  Amount undone() const;
  void measure_distances();
  bool find_path(std::uint32_t start);
  void apply_path();

  const CongestedPart& part_;
  double cpu_;
  double factor_ = 1;  // from reference-node seconds to amounts
  std::vector<Seconds> instants_;
  std::vector<JobState> jobs_;
  std::vector<IntervalState> intervals_;
  std::vector<Share> shares_;         // by job, then by interval
  std::vector<std::uint32_t> alive_;  // jobs by interval, then by deadline
  Amount tolerance_ = 0;              // undone work up to this is rounding error
  Amount plain_overload_ = 0;         // undone work beyond this is a real overload
  std::vector<std::uint32_t> job_queue_;
  std::vector<std::uint32_t> interval_queue_;
  std::vector<Move> path_;
};

}  // namespace dfrs::sim
