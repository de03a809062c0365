// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/stretch.h"

#include <algorithm>
#include <cmath>

#include "policy/yield/stretch_level.h"

namespace dfrs {
namespace {

constexpr int kMaxPrograms = 60;
constexpr double kRelativeGap = 1e-6;

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

}  // namespace

void common_stretch(const CpuContention& contention, std::span<const StretchEstimate> jobs, double floor,
                    std::span<double> yields) {
  floor = std::min(floor, 1 / contention.max_load());
  double level = 0;
  for (const StretchEstimate& job : jobs) level = std::max(level, full_speed(job));
  level = common_level(contention, jobs, floor, level);
  for (std::size_t j = 0; j < jobs.size(); ++j) yields[j] = yield_at(jobs[j], level, floor);
  repair_yields(contention, yields);
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

namespace {

// The linear program of min_average_stretch(). Columns: the yields, then the negative stretch of each job, whose sum is
// maximised. Rows: the nodes' capacities, and cuts, which are tangents below the convex estimate.
class StretchProgram {
 public:
  /// Starts with a cut at both ends of each job's range of yields, from that at the inverse stretch `level` to 1.
  StretchProgram(const CpuContention& contention, std::span<const StretchEstimate> jobs, double level, double floor)
      : jobs_(jobs), x_(2 * jobs.size()) {
    program_.clear();
    for (const StretchEstimate& job : jobs) {
      program_.cost.push_back(0);
      program_.lower.push_back(yield_at(job, level, floor));
      program_.upper.push_back(1);
    }
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      program_.cost.push_back(1);
      program_.lower.push_back(-jobs[j].at(program_.lower[j]));
      program_.upper.push_back(-jobs[j].at(1));
    }
    for (const CpuContention::Node& node : contention.nodes()) add_capacity(contention, node);
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      add_cut(j, program_.lower[j]);
      add_cut(j, 1);
    }
  }

  /// Solves the present program. `bound` is a lower bound on the sum of estimates, `value` the sum for the yields
  /// found.
  bool solve(LpSolver& solver, double& bound, double& value) {
    if (!solver.maximize(program_, x_)) return false;
    bound = 0;
    value = 0;
    for (std::size_t j = 0; j < jobs_.size(); ++j) {
      x_[j] = std::clamp(x_[j], program_.lower[j], 1.0);
      bound -= x_[jobs_.size() + j];
      value += jobs_[j].at(x_[j]);
    }
    return true;
  }
  /// The yields found.
  std::span<const double> yields() const { return std::span(x_).first(jobs_.size()); }
  /// Adds a cut at the yield found for each job whose estimate lies above its cuts there.
  void cut() {
    for (std::size_t j = 0; j < jobs_.size(); ++j) {
      if (jobs_[j].at(x_[j]) > -x_[jobs_.size() + j] * (1 + kRelativeGap)) add_cut(j, x_[j]);
    }
  }

 private:
  void add_capacity(const CpuContention& contention, const CpuContention::Node& node) {
    double least = 0;
    for (const CpuContention::User& user : contention.users(node)) {
      program_.column.push_back(user.job);
      program_.value.push_back(user.need);
      least += user.need * program_.lower[user.job];
    }
    // With rounding, the lower bounds may slightly exceed a node's capacity, which would make the program infeasible.
    program_.end_row(std::max(node.capacity, least));
  }
  // stretch >= f + slope (x - y)  <=>  -stretch + slope x <= slope y - f
  void add_cut(std::size_t j, double y) {
    const double f = jobs_[j].at(y);
    const double slope = -f * jobs_[j].period / (jobs_[j].progress + y * jobs_[j].period);
    program_.column.push_back(jobs_.size() + j);
    program_.value.push_back(1);
    program_.column.push_back(j);
    program_.value.push_back(slope);
    program_.end_row(slope * y - f);
  }

  std::span<const StretchEstimate> jobs_;
  LinearProgram program_;
  std::vector<double> x_;
};

}  // namespace

bool min_average_stretch(const CpuContention& contention, std::span<const StretchEstimate> jobs, double floor,
                         LpSolver& solver, std::span<double> yields) {
  if (jobs.empty()) return true;
  floor = std::min(floor, 1 / contention.max_load());
  // No job may be worse off than at the best common level.
  double level = kNever;  // up to that at which the first job runs at full speed
  for (const StretchEstimate& job : jobs) level = std::min(level, full_speed(job));
  level = common_level(contention, jobs, floor, level);

  StretchProgram program(contention, jobs, level, floor);
  double best = kNever;
  for (int k = 0; k < kMaxPrograms; ++k) {
    double bound = 0;
    double value = 0;
    if (!program.solve(solver, bound, value)) return best < kNever;
    if (value < best) {
      best = value;
      std::copy_n(program.yields().begin(), jobs.size(), yields.begin());
    }
    if (best - bound <= kRelativeGap * best) break;
    program.cut();
  }
  repair_yields(contention, yields);
  return true;
}

}  // namespace dfrs
