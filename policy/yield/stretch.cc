// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/stretch.h"

#include <algorithm>
#include <cmath>

#include "policy/yield/stretch_level.h"

namespace dfrs {
namespace {

// The inverse stretch at which the job runs at full speed.
double full_speed(const StretchEstimate& job) { return (job.progress + job.period) / job.flow; }

// The largest inverse stretch, up to `level`, that every node can give to all its jobs.
double common_level(const CpuContention& contention, std::span<const StretchEstimate> jobs, double floor,
                    double level) {
  const std::vector<double> open(jobs.size(), -1.0);
  StretchLevel levels;
  for (const CpuContention::Node& node : contention.nodes()) {
    level = std::min(level, levels.highest(contention, node, jobs, open, floor, level, 0));
  }
  return level;
}

// Yields at that level.
void set_common_level(const CpuContention& contention, std::span<const StretchEstimate> jobs, double floor,
                      double level, std::span<double> yields) {
  floor = std::min(floor, 1 / contention.max_load());
  level = common_level(contention, jobs, floor, level);
  for (std::size_t j = 0; j < jobs.size(); ++j) yields[j] = yield_at(jobs[j], level, floor);
}

}  // namespace

void common_stretch(const CpuContention& contention, std::span<const StretchEstimate> jobs, double floor,
                    std::span<double> yields) {
  double level = 0;
  for (const StretchEstimate& job : jobs) level = std::max(level, full_speed(job));
  set_common_level(contention, jobs, floor, level, yields);
  repair_yields(contention, yields);
}

void shared_stretch(const CpuContention& contention, std::span<const StretchEstimate> jobs, double floor,
                    std::span<double> yields) {
  double level = kNever;
  for (const StretchEstimate& job : jobs) level = std::min(level, full_speed(job));
  set_common_level(contention, jobs, floor, level, yields);
}

void min_max_stretch(const CpuContention& contention, std::span<const StretchEstimate> jobs, double floor,
                     std::span<double> yields) {
  constexpr double kOpen = -1;
  std::fill(yields.begin(), yields.end(), kOpen);
  // An overloaded node may not even have room for the floors; equal shares always fit.
  floor = std::min(floor, 1 / contention.max_load());
  double high = 0;
  for (const StretchEstimate& job : jobs) high = std::max(high, full_speed(job));

  // Progressive filling as in MaxMinYield: the node with the lowest level fixes its jobs. That only raises the levels
  // of other nodes, so an outdated entry goes back with its new level.
  struct Entry {
    double level;
    std::uint32_t node;
  };
  const auto worse = [](const Entry& a, const Entry& b) {
    return a.level != b.level ? a.level > b.level : a.node > b.node;
  };
  const std::span<const CpuContention::Node> nodes = contention.nodes();
  std::vector<Entry> heap;
  StretchLevel levels;
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    heap.push_back({levels.highest(contention, nodes[n], jobs, yields, floor, high, 0), n});
  }
  std::make_heap(heap.begin(), heap.end(), worse);
  std::vector<std::uint32_t> changed(nodes.size(), 0);  // by node: how many of its jobs are fixed
  std::vector<std::uint32_t> seen(nodes.size(), 0);     // by node: how many were when its level was computed
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), worse);
    const Entry top = heap.back();
    heap.pop_back();
    if (top.level >= high) break;  // all remaining jobs can run at full speed
    if (seen[top.node] != changed[top.node]) {
      seen[top.node] = changed[top.node];
      heap.push_back({levels.highest(contention, nodes[top.node], jobs, yields, floor, high, top.level), top.node});
      std::push_heap(heap.begin(), heap.end(), worse);
      continue;
    }
    for (const CpuContention::User& user : contention.users(nodes[top.node])) {
      if (yields[user.job] >= 0) continue;
      yields[user.job] = yield_at(jobs[user.job], top.level, floor);
      for (const CpuContention::Place& place : contention.places(contention.jobs()[user.job])) ++changed[place.node];
    }
  }
  for (double& y : yields) {
    if (y < 0) y = 1;
  }
  repair_yields(contention, yields);
}

}  // namespace dfrs
