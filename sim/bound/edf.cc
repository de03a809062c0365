// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/bound/edf.h"

#include <algorithm>

namespace dfrs::sim {

// Fills slices_. Returns the job with the largest weighted lateness; the number of jobs if none is late.
std::uint32_t Edf::run(std::span<const EdfJob> jobs) {
  const auto n = static_cast<std::uint32_t>(jobs.size());
  slices_.clear();
  waiting_.clear();
  left_.resize(n);
  for (std::uint32_t j = 0; j < n; ++j) left_[j] = jobs[j].length;
  const auto later = [&](std::uint32_t a, std::uint32_t b) {
    return jobs[a].deadline != jobs[b].deadline ? jobs[a].deadline > jobs[b].deadline : a > b;
  };
  std::uint32_t worst = n;
  double worst_lateness = 0;
  std::uint32_t next = 0;
  Seconds now = n > 0 ? jobs.front().release : 0;
  while (next < n || !waiting_.empty()) {
    if (waiting_.empty()) now = std::max(now, jobs[next].release);
    for (; next < n && jobs[next].release <= now; ++next) {
      waiting_.push_back(next);
      std::push_heap(waiting_.begin(), waiting_.end(), later);
    }
    const std::uint32_t job = waiting_.front();
    const Seconds until = next < n ? jobs[next].release : kNever;
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
    if (const double lateness = (end - jobs[job].deadline) / jobs[job].weight; lateness > worst_lateness) {
      worst = job;
      worst_lateness = lateness;
    }
  }
  return worst;
}

const std::vector<std::uint32_t>& Edf::critical_set(std::span<const EdfJob> jobs) {
  critical_.clear();
  const std::uint32_t late = run(jobs);
  if (late == jobs.size()) return critical_;
  // Up to the late job's end the machine was busy without a gap on jobs with no later deadline, all released after that
  // period began. In any order, the last of them ends no earlier.
  counted_.assign(jobs.size(), false);
  auto slice = std::find_if(slices_.rbegin(), slices_.rend(), [&](const Slice& s) { return s.job == late; });
  Seconds begin = slice->end;
  for (; slice != slices_.rend() && slice->end == begin && jobs[slice->job].deadline <= jobs[late].deadline; ++slice) {
    begin = slice->start;
    if (counted_[slice->job]) continue;
    counted_[slice->job] = true;
    critical_.push_back(slice->job);
  }
  return critical_;
}

}  // namespace dfrs::sim
