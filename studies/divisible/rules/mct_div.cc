// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/divisible/rules/mct_div.h"

#include <algorithm>

namespace dfrs::divisible {

void FixedMctDiv::decide(const View& view, Decision& decision) {
  const std::span<const Cluster> clusters = view.platform->clusters();
  runs_.resize(clusters.size(), kIdle);
  for (JobIndex& job : runs_) {
    if (job != kIdle && !(view.jobs[job].remaining > 0)) job = kIdle;
  }
  for (std::size_t j = view.jobs.size() - view.arrived; j < view.jobs.size(); ++j) {
    waiting_.push_back(static_cast<JobIndex>(j));
  }
  std::erase_if(waiting_, [&](JobIndex j) {
    bool starts = false;
    for (const ClusterIndex c : view.platform->hosts(view.jobs[j].databank)) {
      if (runs_[c] != kIdle) continue;
      runs_[c] = j;
      starts = true;
    }
    return starts;
  });
  for (ClusterIndex c = 0; c < clusters.size(); ++c) {
    if (runs_[c] != kIdle) decision.shares.push_back({runs_[c], c, clusters[c].power()});
  }
}

void EvenMctDiv::decide(const View& view, Decision& decision) {
  const Platform& platform = *view.platform;
  queues_.resize(platform.clusters().size());
  ready_.resize(platform.clusters().size(), 0);
  for (std::size_t j = view.jobs.size() - view.arrived; j < view.jobs.size(); ++j) {
    const JobView& job = view.jobs[j];
    const Seconds length = job.size / platform.reach(job.databank);
    for (const ClusterIndex c : platform.hosts(job.databank)) {
      ready_[c] = std::max(ready_[c], view.now) + length;
      queues_[c].push_back({static_cast<JobIndex>(j), ready_[c]});
    }
  }
  for (ClusterIndex c = 0; c < queues_.size(); ++c) {
    std::deque<Part>& queue = queues_[c];
    // The last part in a queue stays until its job is complete, so that rounding error leaves no work behind.
    while (!queue.empty() &&
           (!(view.jobs[queue.front().job].remaining > 0) || (queue.front().end <= view.now && queue.size() > 1))) {
      queue.pop_front();
    }
    if (queue.empty()) continue;
    if (queue.front().end <= view.now) continue;
    decision.shares.push_back({queue.front().job, c, platform.clusters()[c].power()});
    decision.wake_at = std::min(decision.wake_at, queue.front().end);
  }
  // Work that rounding left.
  std::vector<char> busy(queues_.size(), 0), served(view.jobs.size(), 0);
  for (const Share& share : decision.shares) busy[share.cluster] = served[share.job] = 1;
  for (const JobIndex j : view.active) {
    if (served[j] != 0) continue;
    const auto hosts = platform.hosts(view.jobs[j].databank);
    const bool planned = std::any_of(hosts.begin(), hosts.end(), [&](ClusterIndex c) {
      return std::any_of(queues_[c].begin(), queues_[c].end(),
                         [&](const Part& part) { return part.job == j && part.end > view.now; });
    });
    if (planned) continue;
    for (const ClusterIndex c : hosts) {
      if (busy[c] != 0) continue;
      busy[c] = 1;
      decision.shares.push_back({j, c, platform.clusters()[c].power()});
    }
  }
}

}  // namespace dfrs::divisible
