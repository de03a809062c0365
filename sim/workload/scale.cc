// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/scale.h"

#include <fmt/format.h>

#include "sim/workload/number_parser.h"

namespace dfrs::sim {
namespace {

// Reserved starts keep their distance from the submissions.
void stretch_arrivals(Instance& instance, double factor) {
  const Seconds first = instance.jobs.front().submit;
  for (Job& job : instance.jobs) {
    const Seconds moved = first + (job.submit - first) * factor;
    if (job.reserved_start > job.submit) job.reserved_start += moved - job.submit;
    job.submit = moved;
  }
}

}  // namespace

Result<double> offered_load(const Instance& instance) {
  if (instance.jobs.empty() || !(instance.jobs.back().submit > instance.jobs.front().submit)) {
    return input_error(
        fmt::format("{}: no offered load: at least two jobs with different submit times are needed", instance.name));
  }
  double work = 0;
  for (const Job& job : instance.jobs) work += Instance::work(job);
  return work / (instance.platform.total_cpu() * (instance.jobs.back().submit - instance.jobs.front().submit));
}

Result<Instance> scaled_to_load(const Instance& instance, double load) {
  if (!(load > 0 && load <= 1000)) {
    return usage_error(fmt::format("offered load: {}, expected more than 0 and at most 1000", load));
  }
  const Result<double> present = offered_load(instance);
  if (!present) return tl::unexpected(present.error());
  if (!(*present > 0)) {
    return input_error(fmt::format("{}: cannot be scaled to a load: its jobs have no work", instance.name));
  }
  const double factor = *present / load;
  Instance scaled = instance;
  scaled.name = fmt::format("{}-load-{}", instance.name, load);
  stretch_arrivals(scaled, factor);
  if (!(scaled.jobs.back().submit <= kMaxTraceSeconds)) {
    return input_error(
        fmt::format("{}: scaled to load {} its jobs arrive until {:g} s, more than the {:g} s a trace may last",
                    instance.name, load, scaled.jobs.back().submit, kMaxTraceSeconds));
  }
  return scaled;
}

Result<void> shrink(Instance& instance, double factor) {
  if (!(factor > 0 && factor <= 1000)) {
    return usage_error(fmt::format("shrinking factor: {}, expected more than 0 and at most 1000", factor));
  }
  if (instance.jobs.empty()) return {};
  stretch_arrivals(instance, factor);
  if (!(instance.jobs.back().submit <= kMaxTraceSeconds)) {
    return input_error(
        fmt::format("{}: shrunk by {} its jobs arrive until {:g} s, more than the {:g} s a trace may last",
                    instance.name, factor, instance.jobs.back().submit, kMaxTraceSeconds));
  }
  return {};
}

}  // namespace dfrs::sim
