// SPDX-License-Identifier: GPL-2.0-or-later
// OPT=MIN yields after one job has moved, over the size of the cluster: in the part that changed, and of all jobs.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>

#include "policy/yield/changed_part.h"
#include "policy/yield/max_min.h"

namespace dfrs::bench {
namespace {

// Two jobs per node of 1 to 4 tasks on neighbouring nodes, each task able to use all of a node: every node is short of
// CPU. Groups of 8 nodes have no job in common with others.
class Shared {
 public:
  explicit Shared(std::size_t count) : nodes_(count / kGroup * kGroup), jobs_(2 * nodes_.size()) {
    for (std::uint32_t k = 0; k < jobs_.size(); ++k) {
      jobs_[k].state = JobState::waiting;
      jobs_[k].tasks = 1 + k % 4;
    }
    state_.resync(view());
    for (JobSlot job = 0; job < jobs_.size(); ++job) place(job, job / 2);
  }
  ClusterView view() const { return {0, nodes_, jobs_, 1}; }
  const ClusterState& state() const { return state_; }

  // A job goes one node on within its group.
  void move_one() {
    state_.forget_changes();
    state_.begin();
    next_ = static_cast<JobSlot>((next_ + 7919) % jobs_.size());
    const NodeIndex at = state_.nodes_of(next_).front();
    state_.remove(next_, jobs_[next_]);
    place(next_, at / kGroup * kGroup + (at + 1) % kGroup);
  }

 private:
  static constexpr std::uint32_t kGroup = 8;

  void place(JobSlot job, NodeIndex first) {
    std::array<NodeIndex, 4> nodes{};
    const std::uint32_t tasks = jobs_[job].tasks;
    for (std::uint32_t k = 0; k < tasks; ++k) nodes[k] = first / kGroup * kGroup + (first + k) % kGroup;
    std::sort(nodes.begin(), nodes.begin() + tasks);
    state_.place(job, jobs_[job], std::span(nodes).first(tasks));
  }

  std::vector<NodeView> nodes_;
  std::vector<JobView> jobs_;
  ClusterState state_;
  JobSlot next_ = 0;
};

void yields_after_one_move(benchmark::State& bench) {
  Shared shared(static_cast<std::size_t>(bench.range(0)));
  ChangedPart part;
  CpuContention contention;
  MaxMinYield max_min;
  std::vector<double> yields;
  part.find(shared.view(), {}, true, shared.state(), contention);
  for ([[maybe_unused]] auto round : bench) {
    shared.move_one();
    part.find(shared.view(), {}, false, shared.state(), contention);
    yields.resize(contention.jobs().size());
    max_min.solve(contention, yields);
    benchmark::DoNotOptimize(yields.data());
  }
}
BENCHMARK(yields_after_one_move)->RangeMultiplier(10)->Range(100, 100'000)->Unit(benchmark::kMicrosecond);

void yields_of_all(benchmark::State& bench) {
  Shared shared(static_cast<std::size_t>(bench.range(0)));
  CpuContention contention;
  MaxMinYield max_min;
  std::vector<double> yields;
  for ([[maybe_unused]] auto round : bench) {
    shared.move_one();
    contention.build(shared.state(), shared.view());
    yields.resize(contention.jobs().size());
    max_min.solve(contention, yields);
    benchmark::DoNotOptimize(yields.data());
  }
}
BENCHMARK(yields_of_all)->RangeMultiplier(10)->Range(100, 100'000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace dfrs::bench
