// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/bound/divisible.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace dfrs::sim {
namespace {

/// EDF over one busy period, the jobs that keep the machine at work from the first's release without a pause. Instants
/// count from that release, so that they keep their precision late in a long log.
class BusyPeriod {
 public:
  BusyPeriod(std::span<const BoundJob> jobs, double cpu) : jobs_(jobs), origin_(jobs.front().release) {
    length_.reserve(jobs.size());
    for (const BoundJob& job : jobs) length_.push_back(job.work / cpu);
  }

  /// A lower bound on the period's optimum, above `stretch` unless EDF meets every deadline at `stretch`.
  double bound_above(double stretch) {
    const std::size_t worst = run_edf(stretch);
    return worst == jobs_.size() ? stretch : std::max(stretch, critical_stretch(worst));
  }

 private:
  struct Slice {
    std::size_t job;
    Seconds start;
    Seconds end;
  };

  Seconds release(std::size_t job) const { return jobs_[job].release - origin_; }

  /// Fills slices_ and deadline_. Returns the job that is late by the largest part of its size; their number if none
  /// is.
  std::size_t run_edf(double stretch) {
    const std::size_t n = jobs_.size();
    slices_.clear();
    waiting_.clear();
    left_ = length_;
    deadline_.resize(n);
    for (std::size_t j = 0; j < n; ++j) deadline_[j] = release(j) + stretch * jobs_[j].size;
    const auto later = [&](std::size_t a, std::size_t b) {
      return deadline_[a] != deadline_[b] ? deadline_[a] > deadline_[b] : a > b;
    };
    std::size_t worst = n;
    double worst_lateness = 0;
    std::size_t next = 0;
    Seconds now = 0;
    while (next < n || !waiting_.empty()) {
      if (waiting_.empty()) now = std::max(now, release(next));
      for (; next < n && release(next) <= now; ++next) {
        waiting_.push_back(next);
        std::push_heap(waiting_.begin(), waiting_.end(), later);
      }
      const std::size_t job = waiting_.front();
      const Seconds until = next < n ? release(next) : kNever;
      const Seconds end = now + left_[job];
      if (end > until) {
        slices_.push_back({job, now, until});
        left_[job] -= until - now;
        now = until;
        continue;
      }
      slices_.push_back({job, now, end});
      now = end;
      std::pop_heap(waiting_.begin(), waiting_.end(), later);
      waiting_.pop_back();
      if (const double lateness = (end - deadline_[job]) / jobs_[job].size; lateness > worst_lateness) {
        worst = job;
        worst_lateness = lateness;
      }
    }
    return worst;
  }

  /// Before the late job's end the machine worked, without a break, on jobs with no later deadline, all released since
  /// that began: whatever the order, the last of them cannot end before. The stretch this costs at least.
  double critical_stretch(std::size_t late) {
    counted_.assign(jobs_.size(), false);
    critical_.clear();
    auto slice = std::find_if(slices_.rbegin(), slices_.rend(), [&](const Slice& s) { return s.job == late; });
    Seconds begin = slice->end;
    Seconds total = 0;
    Seconds first_release = kNever;
    for (; slice != slices_.rend() && slice->end == begin && deadline_[slice->job] <= deadline_[late]; ++slice) {
      begin = slice->start;
      if (counted_[slice->job]) continue;
      counted_[slice->job] = true;
      critical_.push_back(slice->job);
      total += length_[slice->job];
      first_release = std::min(first_release, release(slice->job));
    }
    // The set's last deadline must be at first_release + total or later; any of its jobs may provide it.
    double stretch = std::numeric_limits<double>::infinity();
    for (const std::size_t job : critical_)
      stretch = std::min(stretch, (total - (release(job) - first_release)) / jobs_[job].size);
    return stretch;
  }

  std::span<const BoundJob> jobs_;
  Seconds origin_;
  std::vector<Seconds> length_;  // time the whole machine needs for the job
  std::vector<Seconds> left_;
  std::vector<Seconds> deadline_;
  std::vector<std::size_t> waiting_;  // heap, earliest deadline in front
  std::vector<Slice> slices_;
  std::vector<bool> counted_;
  std::vector<std::size_t> critical_;
};

}  // namespace

double divisible_bound(std::span<const BoundJob> jobs, double cpu) {
  double stretch = 1;
  for (std::size_t first = 0; first < jobs.size();) {
    // When the machine is busy does not depend on the order of jobs, so busy periods bound the stretch one by one.
    Seconds busy = 0;
    std::size_t last = first;
    do {
      busy += jobs[last].work / cpu;
      ++last;
    } while (last < jobs.size() && jobs[last].release - jobs[first].release < busy);
    BusyPeriod period(jobs.subspan(first, last - first), cpu);
    for (double next; (next = period.bound_above(stretch)) > stretch;) stretch = next;
    first = last;
  }
  return stretch;
}

}  // namespace dfrs::sim
