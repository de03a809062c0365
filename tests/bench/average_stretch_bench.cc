// SPDX-License-Identifier: GPL-2.0-or-later
// OPT=AVG of /stretch-per over the size of the cluster, where all jobs depend on each other.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "policy/yield/average_stretch.h"
#include "sim/workload/random.h"

namespace dfrs::bench {
namespace {

// Two jobs per node, with 1 to `most_tasks` tasks anywhere and needs of 0.1 to 1.
class Scattered {
 public:
  Scattered(std::size_t count, int most_tasks)
      : nodes_(count, NodeView{{1, {1000}}, true}), jobs_(2 * count), placed_(jobs_.size()) {
    constexpr Seconds kRest = 600;
    sim::Random random(1);
    for (std::size_t k = 0; k < jobs_.size(); ++k) {
      JobView& job = jobs_[k];
      job.id = static_cast<JobId>(k);
      job.state = JobState::running;
      job.yield = 0.1;
      job.rigid[kMemory] = 1;
      job.tasks = static_cast<std::uint32_t>(random.uniform_integer(1, most_tasks));
      for (std::uint32_t task = 0; task < job.tasks; ++task) {
        placed_[k].push_back(static_cast<NodeIndex>(random.uniform_integer(0, static_cast<int>(count) - 1)));
      }
      std::sort(placed_[k].begin(), placed_[k].end());
      job.nodes = placed_[k];
      job.cpu_need = 0.1 * random.uniform_integer(1, 10);
      job.submit = random.uniform(-100'000, 0);
      job.clock = {random.uniform(0, 50'000), 0, 0};
    }
    const ClusterView view{0, nodes_, jobs_, 1};
    ClusterState state;
    state.resync(view);
    contention_.build(state, view);
    for (const CpuContention::Job& job : contention_.jobs()) {
      const JobView& spec = view.jobs[job.slot];
      estimates_.push_back({spec.flow_time(0) + kRest, spec.virtual_time(0), kRest});
    }
  }
  const CpuContention& contention() const { return contention_; }
  const std::vector<StretchEstimate>& estimates() const { return estimates_; }

 private:
  std::vector<NodeView> nodes_;
  std::vector<JobView> jobs_;
  std::vector<std::vector<NodeIndex>> placed_;
  CpuContention contention_;
  std::vector<StretchEstimate> estimates_;
};

void average_stretch(benchmark::State& bench) {
  const Scattered scattered(static_cast<std::size_t>(bench.range(0)), static_cast<int>(bench.range(1)));
  std::vector<double> yields(scattered.estimates().size());
  AverageStretch average;
  for (auto _ : bench) {
    average.solve(scattered.contention(), scattered.estimates(), 0.01, yields);
    benchmark::DoNotOptimize(yields.data());
  }
  double sum = 0;
  for (std::size_t k = 0; k < yields.size(); ++k) sum += scattered.estimates()[k].at(yields[k]);
  bench.counters["gap"] = average.gap() / sum;
}
BENCHMARK(average_stretch)
    ->ArgNames({"nodes", "tasks"})
    ->ArgsProduct({{100, 1'000, 10'000}, {4, 30}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dfrs::bench
