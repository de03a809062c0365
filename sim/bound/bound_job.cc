// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/bound/bound_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dfrs::sim {
namespace {

Result<void> check(const Job& job) {
  const auto bad = [&](const char* what, double found, const char* expected) {
    return input_error(
        fmt::format("job {}: {} is {}, expected {}: correct the workload", job.id, what, found, expected));
  };
  if (!std::isfinite(job.submit)) return bad("the submit time", job.submit, "a number");
  if (!std::isfinite(job.run_time) || job.run_time < 0) return bad("the run time", job.run_time, "a number >= 0");
  if (!std::isfinite(job.cpu_need) || job.cpu_need <= 0) return bad("the CPU need", job.cpu_need, "a number > 0");
  if (job.tasks < 1) return bad("the number of tasks", job.tasks, "at least 1");
  return {};
}

}  // namespace

Result<std::vector<BoundJob>> bound_jobs(const Instance& instance, const BoundOptions& options) {
  const Seconds floor = options.stretch_floor;
  if (!std::isfinite(floor) || floor < 0)
    return usage_error(fmt::format("the stretch floor is {} s, expected a number >= 0", floor));
  std::vector<BoundJob> jobs;
  jobs.reserve(instance.jobs.size());
  for (const Job& job : instance.jobs) {
    if (auto fine = check(job); !fine) return tl::unexpected(std::move(fine).error());
    const double work = Instance::work(job);
    if (work > 0) jobs.push_back({job.submit, std::max(job.run_time, floor), work, job.cpu_need * job.tasks});
  }
  if (const double cpu = instance.platform.total_cpu(); !jobs.empty() && !(cpu > 0 && std::isfinite(cpu)))
    return input_error(
        fmt::format("instance {}: the platform's CPU capacity is {}, expected more than 0 to run {} jobs",
                    instance.name, cpu, jobs.size()));
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const BoundJob& a, const BoundJob& b) { return a.release < b.release; });
  return jobs;
}

}  // namespace dfrs::sim
