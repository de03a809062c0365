// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/campaign/campaign.h"

#include <algorithm>
#include <ctime>
#include <mutex>

#include "sim/bound/bound.h"
#include "sim/campaign/parallel.h"
#include "sim/glpk_solver.h"
#include "sim/workload/scale.h"

namespace dfrs::sim {
namespace {

double thread_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double load_or_zero(const Instance& instance) {
  const bool spread = !instance.jobs.empty() && instance.jobs.back().submit > instance.jobs.front().submit;
  return spread ? offered_load(instance) : 0.0;
}

}  // namespace

std::vector<ResultRow> run_campaign(std::span<const Instance> instances, std::span<const Algorithm> algorithms,
                                    const CampaignOptions& options) {
  const std::size_t total = instances.size() * algorithms.size();
  std::vector<ResultRow> rows(total);
  std::vector<StretchBounds> bounds(instances.size());
  parallel_for(instances.size(), options.threads, [&](std::size_t k) {
    bounds[k] = stretch_lower_bounds(instances[k], BoundOptions{options.stretch_floor});
  });

  std::mutex mutex;
  std::size_t done = 0;
  parallel_for(total, options.threads, [&](std::size_t k) {
    const Instance& instance = instances[k / algorithms.size()];
    const Algorithm& algorithm = algorithms[k % algorithms.size()];
    GlpkSolver solver;
    SimOptions sim = options.sim;
    sim.engine.dfrs.lp_solver = &solver;
    const double start = thread_cpu_seconds();
    const RunResult run = simulate(instance, algorithm, sim);
    ResultRow& row = rows[k];
    row.cpu_seconds = thread_cpu_seconds() - start;
    row.instance = instance.name;
    row.algorithm = algorithm_name(algorithm);
    row.jobs = instance.jobs.size();
    row.load = load_or_zero(instance);
    row.bound_divisible = bounds[k / algorithms.size()].divisible;
    row.bound_ls1 = bounds[k / algorithms.size()].ls1;
    row.metrics = measure(instance, run, options.stretch_floor);
    if (options.progress) {
      const std::lock_guard lock(mutex);
      options.progress(++done, total);
    }
  });
  return rows;
}

}  // namespace dfrs::sim
