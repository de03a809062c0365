// SPDX-License-Identifier: GPL-2.0-or-later
// Parts of the policy core by themselves, over the size of the cluster: a full repack, and one greedy admission.
#include <benchmark/benchmark.h>

#include <vector>

#include "policy/greedy.h"
#include "policy/mcb8/repack.h"

namespace dfrs::bench {
namespace {

// A cluster with jobs of 1 to 9 tasks, some CPU-bound and some memory-bound, that fill about 4/5 of its memory.
struct Case {
  explicit Case(std::size_t count) : nodes(count) {
    for (NodeView& node : nodes) node.spec.rigid[kMemory] = 10240;
    RigidAmount memory_left = static_cast<RigidAmount>(count) * 10240 * 4 / 5;
    for (std::uint32_t k = 0; memory_left > 0; ++k) {
      JobView job;
      job.id = k;
      job.state = JobState::waiting;
      job.tasks = 1 + (k * 7) % 9;
      job.cpu_need = k % 3 == 0 ? 0.25 : 1.0;
      job.rigid[kMemory] = 1024 * (k % 2 == 0 ? 1 : 1 + (k * 5) % 4);
      job.submit = k;
      memory_left -= job.rigid[kMemory] * job.tasks;
      jobs.push_back(job);
    }
    view.now = static_cast<Seconds>(jobs.size());
    view.nodes = nodes;
    view.jobs = jobs;
    state.resync(view);
  }

  std::vector<NodeView> nodes;
  std::vector<JobView> jobs;
  ClusterView view;
  ClusterState state;
};

void full_repack(benchmark::State& bench) {
  Case made(static_cast<std::size_t>(bench.range(0)));
  std::size_t tasks = 0;
  for (const JobView& job : made.jobs) tasks += job.tasks;
  for ([[maybe_unused]] auto round : bench) {
    bench.PauseTiming();
    made.state.resync(made.view);
    made.state.begin();
    Repack repack;
    bench.ResumeTiming();
    benchmark::DoNotOptimize(repack.max_yield(made.state, made.view, PriorityRule{}, RemapLimit{}));
  }
  bench.counters["tasks"] = static_cast<double>(tasks);
  bench.SetComplexityN(bench.range(0));
}
BENCHMARK(full_repack)->RangeMultiplier(10)->Range(100, 100'000)->Unit(benchmark::kMillisecond)->Complexity();

void greedy_admission(benchmark::State& bench) {
  Case made(static_cast<std::size_t>(bench.range(0)));
  Greedy greedy;
  for (JobSlot job = 0; job < made.jobs.size(); job += 2) greedy.place(made.state, made.view, job);
  JobView job;
  job.tasks = static_cast<std::uint32_t>(bench.range(1));
  job.rigid[kMemory] = 1024;
  for ([[maybe_unused]] auto round : bench) benchmark::DoNotOptimize(greedy.find(made.state, job));
}
BENCHMARK(greedy_admission)->ArgsProduct({{100, 1'000, 10'000}, {1, 16}})->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace dfrs::bench
