// SPDX-License-Identifier: GPL-2.0-or-later
// The lower bounds on the maximum stretch.
#include <benchmark/benchmark.h>

#include "sim/bound/bound.h"
#include "tests/bench/workloads.h"

namespace dfrs::sim::bench {
namespace {

void both_bounds_of_the_weeks(benchmark::State& state) {
  if (!hpc2n_path()) return state.SkipWithError("DFRS_TRACES has no HPC2N log");
  const std::vector<Instance> weeks = hpc2n(true);
  for ([[maybe_unused]] auto round : state) {
    for (const Instance& week : weeks) benchmark::DoNotOptimize(or_throw(stretch_lower_bounds(week)));
  }
}
BENCHMARK(both_bounds_of_the_weeks)->Unit(benchmark::kMillisecond);

void divisible_bound_of_the_whole_log(benchmark::State& state) {
  if (!hpc2n_path()) return state.SkipWithError("DFRS_TRACES has no HPC2N log");
  const Instance log = hpc2n(false).front();
  for ([[maybe_unused]] auto round : state) {
    benchmark::DoNotOptimize(or_throw(stretch_lower_bound(log, BoundKind::divisible)));
  }
}
BENCHMARK(divisible_bound_of_the_whole_log)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dfrs::sim::bench
