// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/cluster_history.h"

#include <algorithm>

namespace dfrs::shim {

void ClusterHistory::sample(const JobTable& jobs, const Nodes& nodes, Seconds now) {
  if (now >= last_ && now < last_ + kInterval) return;
  last_ = now;
  observed_.begin_sample(now);
  numbers_.resize(nodes.size());
  for (NodeIndex n = 0; n < nodes.size(); ++n) {
    const Node& node = nodes[n];
    const double cpus = std::max(1.0, static_cast<double>(node.cpus));
    const auto memory = static_cast<double>(node.memory);
    if (!observed_.has(numbers_[n], node.name, cpus, memory)) numbers_[n] = observed_.node(node.name, cpus, memory);
  }
  jobs.each([&](const Job& job) {
    if (job.facts.phase == DFRS_JOB_ENDING) return;
    places_.clear();
    if (job.running()) {
      for (const NodeIndex n : job.facts.nodes) {
        if (n < numbers_.size()) places_.push_back(numbers_[n]);
      }
      std::sort(places_.begin(), places_.end());
    }
    timeline::SeenJob seen;
    seen.id = job.id;
    seen.user_id = job.user;
    seen.submit = job.history.release != 0 ? job.history.release : static_cast<Seconds>(job.submit);
    seen.tasks = job.facts.tasks;
    seen.cpus = job.facts.cpus_per_task * job.need.value;
    seen.memory = static_cast<double>(job.facts.memory_per_task);
    seen.pauses = job.history.pauses;
    seen.moves = job.history.moves;
    seen.nodes = places_;
    seen.yield = job.running() ? job.progress.granted_yield : 0;
    observed_.see(seen);
  });
  observed_.end_sample();
}

}  // namespace dfrs::shim
