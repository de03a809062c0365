// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/divisible/rules/mct.h"

#include <algorithm>

namespace dfrs::divisible {

void Mct::decide(const View& view, Decision& decision) {
  const std::span<const Cluster> clusters = view.platform->clusters();
  if (processors_.empty()) {
    for (const Cluster& cluster : clusters) processors_.emplace_back(static_cast<std::size_t>(cluster.processors));
  }
  for (std::size_t j = view.jobs.size() - view.arrived; j < view.jobs.size(); ++j) {
    const JobView& job = view.jobs[j];
    Processor* best = nullptr;
    Seconds best_end = kNever;
    for (const ClusterIndex c : view.platform->hosts(job.databank)) {
      for (Processor& processor : processors_[c]) {
        const Seconds end = std::max(view.now, processor.ready) + job.size / clusters[c].speed;
        if (end < best_end) {
          best = &processor;
          best_end = end;
        }
      }
    }
    if (best == nullptr) continue;  // no such databank; the host does not show such jobs
    best->ready = best_end;
    best->queue.push_back(static_cast<JobIndex>(j));
  }
  for (ClusterIndex c = 0; c < clusters.size(); ++c) {
    for (Processor& processor : processors_[c]) {
      while (!processor.queue.empty() && !(view.jobs[processor.queue.front()].remaining > 0)) {
        processor.queue.pop_front();
      }
      if (!processor.queue.empty()) decision.shares.push_back({processor.queue.front(), c, clusters[c].speed});
    }
  }
}

}  // namespace dfrs::divisible
