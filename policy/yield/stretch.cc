// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/stretch.h"

#include <algorithm>
#include <cmath>

#include "policy/yield/stretch_level.h"

namespace dfrs {
namespace {

constexpr int kMaxPrograms = 60;
constexpr double kRelativeGap = 1e-6;

// The inverse stretch at which the job runs at full speed: nothing is gained beyond.
double full_speed(const StretchEstimate& job) { return (job.progress + job.period) / job.flow; }

}  // namespace

void common_stretch(const Sharing& sharing, std::span<const StretchEstimate> jobs, double floor,
                    std::span<double> yields) {
  floor = std::min(floor, 1 / sharing.max_load());
  double level = 0;
  for (const StretchEstimate& job : jobs) level = std::max(level, full_speed(job));
  const std::vector<double> open(jobs.size(), -1.0);
  StretchLevel levels;
  for (const Sharing::Node& node : sharing.nodes()) {
    level = std::min(level, levels.highest(sharing, node, jobs, open, floor, level, 0));
  }
  for (std::size_t j = 0; j < jobs.size(); ++j) yields[j] = yield_at(jobs[j], level, floor);
  repair_yields(sharing, yields);
}

void min_max_stretch(const Sharing& sharing, std::span<const StretchEstimate> jobs, double floor,
                     std::span<double> yields) {
  constexpr double kOpen = -1;
  std::fill(yields.begin(), yields.end(), kOpen);
  // An overloaded node may not even hold the floors; equal shares do then.
  floor = std::min(floor, 1 / sharing.max_load());
  double high = 0;
  for (const StretchEstimate& job : jobs) high = std::max(high, full_speed(job));

  // Progressive filling as in MaxMinYield: the node with the lowest level fixes its jobs. Levels of other nodes only
  // rise by that, so an entry that is out of date goes back with its new level.
  struct Entry {
    double level;
    std::uint32_t node;
  };
  const auto worse = [](const Entry& a, const Entry& b) {
    return a.level != b.level ? a.level > b.level : a.node > b.node;
  };
  const std::span<const Sharing::Node> nodes = sharing.nodes();
  std::vector<Entry> heap;
  StretchLevel levels;
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    heap.push_back({levels.highest(sharing, nodes[n], jobs, yields, floor, high, 0), n});
  }
  std::make_heap(heap.begin(), heap.end(), worse);
  std::vector<std::uint32_t> changed(nodes.size(), 0);  // how often a job of the node was fixed
  std::vector<std::uint32_t> seen(nodes.size(), 0);     // the same when its level was found
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), worse);
    const Entry top = heap.back();
    heap.pop_back();
    if (top.level >= high) break;  // all others have room for full speed
    if (seen[top.node] != changed[top.node]) {
      seen[top.node] = changed[top.node];
      heap.push_back({levels.highest(sharing, nodes[top.node], jobs, yields, floor, high, top.level), top.node});
      std::push_heap(heap.begin(), heap.end(), worse);
      continue;
    }
    for (const Sharing::User& user : sharing.users(nodes[top.node])) {
      if (yields[user.job] >= 0) continue;
      yields[user.job] = yield_at(jobs[user.job], top.level, floor);
      for (const Sharing::Place& place : sharing.places(sharing.jobs()[user.job])) ++changed[place.node];
    }
  }
  for (double& y : yields) {
    if (y < 0) y = 1;
  }
  repair_yields(sharing, yields);
}

bool min_average_stretch(const Sharing& sharing, std::span<const StretchEstimate> jobs, double floor, LpSolver& solver,
                         std::span<double> yields) {
  const std::size_t count = jobs.size();
  if (count == 0) return true;
  floor = std::min(floor, 1 / sharing.max_load());
  // No job is worse off than under the best common level.
  double level = kNever;  // a job at full speed can have no more
  for (const StretchEstimate& job : jobs) level = std::min(level, full_speed(job));
  std::vector<double> open(count, -1.0);
  StretchLevel levels;
  for (const Sharing::Node& node : sharing.nodes()) {
    level = std::min(level, levels.highest(sharing, node, jobs, open, floor, level, 0));
  }

  // Columns: yields, then -stretch of each job (to be maximised). Cuts: tangents, which lie below the convex estimate.
  LinearProgram program;
  program.clear();
  for (const StretchEstimate& job : jobs) {
    program.cost.push_back(0);
    program.lower.push_back(yield_at(job, level, floor));
    program.upper.push_back(1);
  }
  for (std::size_t j = 0; j < count; ++j) {
    program.cost.push_back(1);
    program.lower.push_back(-jobs[j].at(program.lower[j]));
    program.upper.push_back(-jobs[j].at(1));
  }
  for (const Sharing::Node& node : sharing.nodes()) {
    double least = 0;
    for (const Sharing::User& user : sharing.users(node)) {
      program.column.push_back(user.job);
      program.value.push_back(user.need);
      least += user.need * program.lower[user.job];
    }
    // The lower bounds may fill a node up to rounding beyond its capacity; a solver would call that infeasible.
    program.end_row(std::max(node.capacity, least));
  }
  const auto add_cut = [&](std::size_t j, double y) {
    const double f = jobs[j].at(y);
    const double slope = -f * jobs[j].period / (jobs[j].progress + y * jobs[j].period);
    // stretch >= f + slope (x - y)  <=>  -stretch + slope x <= slope y - f
    program.column.push_back(count + j);
    program.value.push_back(1);
    program.column.push_back(j);
    program.value.push_back(slope);
    program.end_row(slope * y - f);
  };
  for (std::size_t j = 0; j < count; ++j) {
    add_cut(j, program.lower[j]);
    add_cut(j, 1);
  }

  std::vector<double> x(2 * count);
  double best = kNever;
  for (int k = 0; k < kMaxPrograms; ++k) {
    if (!solver.maximize(program, x)) return best < kNever;
    double bound = 0;
    double value = 0;
    for (std::size_t j = 0; j < count; ++j) {
      x[j] = std::clamp(x[j], program.lower[j], 1.0);
      bound -= x[count + j];
      value += jobs[j].at(x[j]);
    }
    if (value < best) {
      best = value;
      std::copy_n(x.begin(), count, yields.begin());
    }
    if (best - bound <= kRelativeGap * best) break;
    for (std::size_t j = 0; j < count; ++j) {
      if (jobs[j].at(x[j]) > -x[count + j] * (1 + kRelativeGap)) add_cut(j, x[j]);
    }
  }
  repair_yields(sharing, yields);
  return true;
}

}  // namespace dfrs
