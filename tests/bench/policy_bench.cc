// SPDX-License-Identifier: GPL-2.0-or-later
// Parts of the policy core by themselves, over the size of the cluster: a full repack, and one greedy admission.
#include <benchmark/benchmark.h>

#include <cmath>
#include <ctime>
#include <vector>

#include "policy/mcb8/repack.h"
#include "policy/rr7659/greedy.h"
#include "tests/oracle/dice.h"

namespace dfrs::bench {
namespace {

constexpr benchmark::TimeUnit kMs = benchmark::kMillisecond;

// How much jobs have in common.
enum class Jobs {
  regular,  // few kinds of jobs, 1 to 9 tasks
  few,      // CPU needs and memory of whole tenths of a node, at random
  all,      // hardly two jobs require the same
};

// A cluster with jobs of 5 tasks in the mean, some CPU-bound and some memory-bound, that fill about 4/5 of its memory.
struct Case {
  explicit Case(std::size_t count, Jobs kind = Jobs::regular) : nodes(count) {
    for (NodeView& node : nodes) node.spec.rigid[kMemory] = kNodeMemory;
    const RigidAmount memory = static_cast<RigidAmount>(count) * kNodeMemory * 4 / 5;
    RigidAmount used = 0;
    oracle::Dice dice(1);
    for (std::uint32_t k = 0; used < memory; ++k) {
      JobView job;
      job.id = k;
      job.state = JobState::waiting;
      job.tasks = 1 + (k * 7) % 9;
      if (kind == Jobs::regular) {
        job.cpu_need = k % 3 == 0 ? 0.25 : 1.0;
        job.rigid[kMemory] = 1024 * (k % 2 == 0 ? 1 : 1 + (k * 5) % 4);
      } else if (kind == Jobs::few) {
        job.cpu_need = dice.between(1, 10) / 10.0;
        job.rigid[kMemory] = kNodeMemory / 20 * (dice.chance(70) ? 1 : dice.between(1, 5));
      } else {
        job.cpu_need = dice.between(1, 1 << 20) / static_cast<double>(1 << 20);
        job.rigid[kMemory] = dice.between(1, kNodeMemory * 4 / 25);
      }
      job.submit = k;
      used += job.rigid[kMemory] * job.tasks;
      tasks += job.tasks;
      jobs.push_back(job);
    }
    view.now = static_cast<Seconds>(jobs.size());
    view.nodes = nodes;
    view.jobs = jobs;
    state.resync(view);
  }

  static constexpr int kNodeMemory = 10240;  // MiB
  std::vector<NodeView> nodes;
  std::vector<JobView> jobs;
  std::size_t tasks = 0;
  ClusterView view;
  ClusterState state;
};

void count(benchmark::State& bench, const Case& made) {
  bench.counters["jobs"] = static_cast<double>(made.jobs.size());
  bench.counters["tasks"] = static_cast<double>(made.tasks);
}

// From an empty cluster and nothing but waiting jobs to all of them placed, with the search for the highest yield.
void full_repack(benchmark::State& bench, Jobs kind) {
  Case made(static_cast<std::size_t>(bench.range(0)), kind);
  double yield = 0;
  for ([[maybe_unused]] auto round : bench) {
    bench.PauseTiming();
    made.state.resync(made.view);
    made.state.begin();
    Repack repack;
    bench.ResumeTiming();
    yield = repack.max_yield(made.state, made.view, PriorityRule{}, RemapLimit{});
  }
  count(bench, made);
  bench.counters["yield"] = yield;
}
BENCHMARK_CAPTURE(full_repack, regular, Jobs::regular)->RangeMultiplier(10)->Range(100, 100'000)->Unit(kMs);
BENCHMARK_CAPTURE(full_repack, few_kinds, Jobs::few)->RangeMultiplier(10)->Range(100, 100'000)->Unit(kMs);
BENCHMARK_CAPTURE(full_repack, all_differ, Jobs::all)->RangeMultiplier(10)->Range(100, 100'000)->Unit(kMs);

// The exponent of growth: the slope of a line through the logarithms of size and CPU time, of four sizes.
void repack_growth(benchmark::State& bench, Jobs kind) {
  double exponent = 0;
  for ([[maybe_unused]] auto round : bench) {
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (const std::size_t nodes : {3'000, 10'000, 30'000, 100'000}) {
      Case made(nodes, kind);
      made.state.begin();
      Repack repack;
      const std::clock_t begin = std::clock();
      repack.max_yield(made.state, made.view, PriorityRule{}, RemapLimit{});
      const double size = std::log(static_cast<double>(nodes));
      const double time = std::log(static_cast<double>(std::clock() - begin));
      n += 1, x += size, y += time, xx += size * size, xy += size * time;
    }
    exponent = (n * xy - x * y) / (n * xx - x * x);
  }
  bench.counters["exponent"] = exponent;
}
BENCHMARK_CAPTURE(repack_growth, regular, Jobs::regular)->Unit(kMs);
BENCHMARK_CAPTURE(repack_growth, few_kinds, Jobs::few)->Unit(kMs);
BENCHMARK_CAPTURE(repack_growth, all_differ, Jobs::all)->Unit(kMs);

// One job comes and one goes, again and again, as in a controller: the search, the placement and what it takes to know
// the nodes by load at the next search. The cluster is about half full.
void greedy_admission(benchmark::State& bench) {
  Case made(static_cast<std::size_t>(bench.range(0)), Jobs::all);
  for (JobView& job : made.jobs) {
    if (bench.range(1) != 0) job.tasks = static_cast<std::uint32_t>(bench.range(1));
  }
  Greedy greedy;
  const auto half = static_cast<JobSlot>(made.jobs.size() / 2);
  for (JobSlot job = 0; job < half; ++job) greedy.place(made.state, made.view, job);
  JobSlot leaves = 0, comes = half;
  const auto next = [&](JobSlot& job) { job = job + 1 == made.jobs.size() ? 0 : job + 1; };
  for ([[maybe_unused]] auto round : bench) {
    made.state.begin();
    if (made.state.placed(leaves)) made.state.remove(leaves, made.jobs[leaves]);
    benchmark::DoNotOptimize(greedy.place(made.state, made.view, comes));
    next(leaves), next(comes);
  }
  count(bench, made);
}
// Second argument: tasks of every job; 0: as they come, 5 in the mean.
BENCHMARK(greedy_admission)->ArgsProduct({{100, 1'000, 10'000, 100'000}, {1, 16, 0}})->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace dfrs::bench
