// SPDX-License-Identifier: GPL-2.0-or-later
// Whole simulations: batch on a whole log, DFRS on HPC2N's weeks and on generated workloads. CPU time is what counts.
#include <benchmark/benchmark.h>

#include <time.h>

#include <algorithm>
#include <memory>

#include "policy/rr7659/algorithm.h"
#include "policy/rr7659/dfrs_policy.h"
#include "policy/rr7659/options.h"
#include "sim/host/simulation.h"
#include "sim/io/allocation.h"
#include "sim/timeline/collector.h"
#include "tests/bench/workloads.h"

namespace dfrs::sim::bench {
namespace {

[[maybe_unused]] const bool as_dfrs_sim = (keep_freed_memory(), true);

std::size_t simulate_all(const std::vector<Instance>& instances, const std::string& name, SimOptions options = {}) {
  const Algorithm algorithm = parse_algorithm(name).value();
  std::size_t jobs = 0;
  for (const Instance& instance : instances) {
    benchmark::DoNotOptimize(or_throw(simulate(instance, algorithm, options)));
    jobs += instance.jobs.size();
  }
  return jobs;
}

// From the compressed file to the result: reading, annotation and the simulation.
void file_to_result(benchmark::State& state, const std::string& name) {
  if (!hpc2n_path()) return state.SkipWithError("DFRS_TRACES has no HPC2N log");
  std::size_t jobs = 0;
  for ([[maybe_unused]] auto round : state) jobs += simulate_all(hpc2n(false), name);
  state.SetItemsProcessed(static_cast<std::int64_t>(jobs));
}
BENCHMARK_CAPTURE(file_to_result, EASY, std::string("EASY"))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(file_to_result, FCFS, std::string("FCFS"))->Unit(benchmark::kMillisecond);

// All of the log as one instance, a tick an hour.
void whole_log(benchmark::State& state, const std::string& name) {
  if (!hpc2n_path()) return state.SkipWithError("DFRS_TRACES has no HPC2N log");
  const std::vector<Instance> log = hpc2n(false);
  SimOptions options;
  options.engine.of<DfrsOptions>().period = 3600;
  std::size_t jobs = 0;
  for ([[maybe_unused]] auto round : state) jobs += simulate_all(log, name, options);
  state.SetItemsProcessed(static_cast<std::int64_t>(jobs));
}
BENCHMARK_CAPTURE(whole_log, GreedyPM_per_MINVT, std::string("GreedyPM*/per/OPT=MIN/MINVT=600"))
    ->Unit(benchmark::kSecond);

void hpc2n_weeks(benchmark::State& state, const std::string& name) {
  if (!hpc2n_path()) return state.SkipWithError("DFRS_TRACES has no HPC2N log");
  const std::vector<Instance> weeks = hpc2n(true);
  std::size_t jobs = 0;
  for ([[maybe_unused]] auto round : state) jobs += simulate_all(weeks, name);
  state.SetItemsProcessed(static_cast<std::int64_t>(jobs));
}
BENCHMARK_CAPTURE(hpc2n_weeks, EASY, std::string("EASY"))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(hpc2n_weeks, GreedyPM_per_MINVT, std::string("GreedyPM*/per/OPT=MIN/MINVT=600"))
    ->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(hpc2n_weeks, GreedyPM_per_MINVT_AVG, std::string("GreedyPM*/per/OPT=AVG/MINVT=600"))
    ->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(hpc2n_weeks, per, std::string("/per/OPT=MIN"))->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(hpc2n_weeks, MCB8, std::string("MCB8*/OPT=MIN/MINVT=600"))->Unit(benchmark::kSecond);

void generated(benchmark::State& state, const std::string& name) {
  const std::vector<Instance> instances = lublin(10);
  std::size_t jobs = 0;
  for ([[maybe_unused]] auto round : state) jobs += simulate_all(instances, name);
  state.SetItemsProcessed(static_cast<std::int64_t>(jobs));
}
BENCHMARK_CAPTURE(generated, EASY, std::string("EASY"))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generated, GreedyPM_per_MINVT, std::string("GreedyPM*/per/OPT=MIN/MINVT=600"))
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generated, GreedyPM_per_MINVT_AVG, std::string("GreedyPM*/per/OPT=AVG/MINVT=600"))
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generated, MCB8, std::string("MCB8*/OPT=MIN"))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generated, stretch_per, std::string("/stretch-per/OPT=MAX"))->Unit(benchmark::kMillisecond);

// What reasons and a timeline cost those who ask for them: the row without either is what all others pay.
enum class Asked { kNothing, kReasons, kTimeline };

void watched(benchmark::State& state, Asked asked) {
  const std::vector<Instance> instances = lublin(10);
  const Algorithm algorithm = parse_algorithm("Triage").value();
  std::size_t jobs = 0;
  for ([[maybe_unused]] auto round : state) {
    for (const Instance& instance : instances) {
      ScheduleCollector collector(algorithm.name);
      const Watch watch{.observer = asked == Asked::kTimeline ? &collector : nullptr,
                        .explains = asked == Asked::kReasons};
      benchmark::DoNotOptimize(or_throw(simulate(instance, algorithm, {}, watch)));
      jobs += instance.jobs.size();
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(jobs));
}
BENCHMARK_CAPTURE(watched, nothing, Asked::kNothing)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(watched, reasons, Asked::kReasons)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(watched, timeline, Asked::kTimeline)->Unit(benchmark::kMillisecond);

// MCB8*, with every call of MCB8 timed by itself, in CPU time: on a copy of the cluster, by a Repack that knows of no
// call before, so that none is spared.
class TimedMcb8 : public NonClairvoyantPolicy {
 public:
  struct Times {
    std::size_t calls = 0;
    double sum = 0, max = 0;  // seconds
  };

  TimedMcb8(const DfrsOptions& options, Times& times) : policy_(algorithm(), options), times_(times) {}

  void decide(const ClusterView& view, std::span<const Event> events, ClusterState& state, Outcome& outcome) override {
    if (!events.empty()) {
      copy_ = state;
      Repack repack;
      const double begin = cpu_time();
      repack.max_yield(copy_, view, PriorityRule{}, RemapLimit{});
      const double time = cpu_time() - begin;
      times_.calls += 1;
      times_.sum += time;
      times_.max = std::max(times_.max, time);
    }
    policy_.decide(view, events, state, outcome);
  }

  static DfrsAlgorithm algorithm() {
    DfrsAlgorithm result;
    result.on_submission = DfrsAlgorithm::Submission::mcb8;
    result.opportunistic = true;
    return result;
  }

 private:
  static double cpu_time() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }

  DfrsPolicy policy_;
  Times& times_;
  ClusterState copy_;
};

void mcb8_call(benchmark::State& state) {
  const std::vector<Instance> instances = lublin(100);
  TimedMcb8::Times times;
  Algorithm timed = named(TimedMcb8::algorithm());
  timed.make = MakeNonClairvoyant([&](const EngineOptions& options) -> std::unique_ptr<NonClairvoyantPolicy> {
    return std::make_unique<TimedMcb8>(options.of<DfrsOptions>(), times);
  });
  for ([[maybe_unused]] auto round : state) {
    times = {};
    for (const Instance& instance : instances) {
      benchmark::DoNotOptimize(or_throw(simulate(instance, timed, SimOptions{})));
    }
  }
  state.counters["calls"] = static_cast<double>(times.calls);
  state.counters["mean_us"] = 1e6 * times.sum / static_cast<double>(times.calls);
  state.counters["max_us"] = 1e6 * times.max;
}
BENCHMARK(mcb8_call)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace dfrs::sim::bench
