// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/sim/bound/deadline_flow.h"

#include <lemon/preflow.h>
#include <lemon/smart_graph.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

namespace dfrs::sim {

bool meets_deadlines(const Instance& instance, BoundKind kind, const BoundOptions& options, double stretch) {
  using Graph = lemon::SmartDigraph;
  using Amount = std::int64_t;
  std::vector<Job> jobs = instance.jobs;
  std::erase_if(jobs, [](const Job& job) { return Instance::work(job) <= 0; });
  const auto deadline = [&](const Job& job) {
    return job.submit + stretch * std::max(job.run_time, options.stretch_floor);
  };
  std::set<Seconds> instants;
  double total = 0;
  double smallest = std::numeric_limits<double>::infinity();
  for (const Job& job : jobs) {
    instants.insert({job.submit, deadline(job)});
    total += Instance::work(job);
    smallest = std::min(smallest, Instance::work(job));
  }
  if (jobs.empty()) return true;
  const double cpu = instance.platform.total_cpu();
  const double unit = std::max(total, cpu * (*instants.rbegin() - *instants.begin())) / std::exp2(60);
  const auto amount = [&](double value) { return std::llround(value / unit); };

  Graph graph;
  Graph::ArcMap<Amount> limit(graph);
  const Graph::Node source = graph.addNode();
  const Graph::Node sink = graph.addNode();
  std::vector<Graph::Node> intervals;
  for (std::size_t i = 0; i + 1 < instants.size(); ++i) intervals.push_back(graph.addNode());
  const std::vector<Seconds> at(instants.begin(), instants.end());
  for (std::size_t i = 0; i < intervals.size(); ++i)
    limit[graph.addArc(intervals[i], sink)] = amount(cpu * (at[i + 1] - at[i]));
  Amount wanted = 0;
  for (const Job& job : jobs) {
    const Graph::Node node = graph.addNode();
    const Amount work = amount(Instance::work(job));
    limit[graph.addArc(source, node)] = work;
    wanted += work;
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      if (job.submit >= at[i + 1] || deadline(job) <= at[i]) continue;
      const double rate = kind == BoundKind::ls1 ? job.cpu_need * job.tasks : cpu;
      limit[graph.addArc(node, intervals[i])] = amount(rate * (at[i + 1] - at[i]));
    }
  }
  lemon::Preflow<Graph, Graph::ArcMap<Amount>> flow(graph, limit, source, sink);
  flow.runMinCut();
  return wanted - flow.flowValue() <= amount(1e-12 * smallest) + static_cast<Amount>(jobs.size());
}

}  // namespace dfrs::sim
