// SPDX-License-Identifier: GPL-2.0-or-later
// Whole simulations: batch on a whole log, DFRS on HPC2N's weeks and on generated workloads. CPU time is what counts.
#include <benchmark/benchmark.h>

#include "sim/glpk_solver.h"
#include "sim/simulation.h"
#include "tests/bench/workloads.h"

namespace dfrs::sim::bench {
namespace {

std::size_t simulate_all(const std::vector<Instance>& instances, const std::string& name, SimOptions options = {}) {
  const Algorithm algorithm = parse_algorithm(name).value();
  GlpkSolver solver;
  options.engine.dfrs.lp_solver = &solver;
  std::size_t jobs = 0;
  for (const Instance& instance : instances) {
    benchmark::DoNotOptimize(simulate(instance, algorithm, options));
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
  options.engine.dfrs.period = 3600;
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

}  // namespace
}  // namespace dfrs::sim::bench
