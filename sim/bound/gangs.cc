// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/bound/gangs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/bound/bound_job.h"
#include "sim/bound/divisible.h"
#include "sim/bound/ls1.h"

namespace dfrs::sim {
namespace {

bool is_gang(const Job& job, const NodeSpec& node) {
  return job.cpu_need >= node.cpu && 3 * job.rigid[kMemory] > node.rigid[kMemory];
}

Result<double> bound_of(const Instance& gangs, double speed, const BoundOptions& options) {
  return bound_jobs(gangs, options).map([&](std::vector<BoundJob> jobs) {
    for (BoundJob& job : jobs) job.work /= std::exchange(job.rate, 1);
    return jobs.empty() ? 1 : ls1_bound(jobs, speed, divisible_bound(jobs, speed));
  });
}

}  // namespace

Result<double> gang_bound(const Instance& instance, const BoundOptions& options) {
  const std::vector<NodeSpec>& nodes = instance.platform.nodes;
  if (nodes.empty() || !std::all_of(nodes.begin(), nodes.end(), [&](const NodeSpec& n) { return n == nodes.front(); }))
    return 1;
  double bound = 1;
  for (const auto& [part, speed] : {std::pair{1.0 / 2, 1.5}, {2.0 / 3, 1.0}}) {
    const double narrower = part * static_cast<double>(nodes.size());
    Instance gangs = instance;
    std::erase_if(gangs.jobs, [&](const Job& job) { return !is_gang(job, nodes.front()) || !(job.tasks > narrower); });
    const Result<double> found = bound_of(gangs, speed, options);
    if (!found) return found;
    bound = std::max(bound, *found);
  }
  return bound;
}

}  // namespace dfrs::sim
