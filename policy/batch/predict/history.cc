// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/batch/predict/history.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dfrs {

Seconds LastTwo::predict(const Submission& job) {
  const auto user = users_.find(job.user);
  if (user == users_.end() || user->second.ended < 2) return job.request;
  return std::min(job.request, std::floor((user->second.last[0] + user->second.last[1]) / 2));
}

void LastTwo::completed(const Submission& job, Seconds run_time, Seconds /*now*/) {
  User& user = users_[job.user];
  user.last[user.ended % 2] = run_time;
  ++user.ended;
}

void LikeJobs::Ring::add(Seconds run_time) {
  if (run_times.size() < kMost) {
    run_times.push_back(run_time);
    return;
  }
  run_times[oldest] = run_time;
  oldest = (oldest + 1) % kMost;
}

Seconds LikeJobs::value_of(const Ring& ring) {
  const std::size_t count = ring.run_times.size();
  if (percent_ == 0) {
    return std::accumulate(ring.run_times.begin(), ring.run_times.end(), 0.0) / static_cast<double>(count);
  }
  sorted_ = ring.run_times;
  const std::size_t rank = (percent_ * count + 99) / 100;  // nearest rank: the smallest that so many do not exceed
  std::nth_element(sorted_.begin(), sorted_.begin() + static_cast<std::ptrdiff_t>(rank - 1), sorted_.end());
  return sorted_[rank - 1];
}

Seconds LikeJobs::predict(const Submission& job) {
  const auto alike = alike_.find(Key(job.user, job.tasks, job.request));
  if (alike != alike_.end()) return std::min(job.request, value_of(alike->second));
  const auto user = users_.find(job.user);
  return user == users_.end() ? job.request : std::min(job.request, value_of(user->second));
}

void LikeJobs::completed(const Submission& job, Seconds run_time, Seconds /*now*/) {
  alike_[Key(job.user, job.tasks, job.request)].add(run_time);
  users_[job.user].add(run_time);
}

}  // namespace dfrs
