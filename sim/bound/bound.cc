// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/bound/bound.h"

#include <vector>

#include "sim/bound/bound_job.h"
#include "sim/bound/divisible.h"
#include "sim/bound/ls1.h"

namespace dfrs::sim {

std::string_view bound_kind_name(BoundKind kind) { return kind == BoundKind::divisible ? "divisible" : "ls1"; }

Result<double> stretch_lower_bound(const Instance& instance, BoundKind kind, const BoundOptions& options) {
  return bound_jobs(instance, options).map([&](const std::vector<BoundJob>& jobs) {
    const double cpu = instance.platform.total_cpu();
    const double divisible = divisible_bound(jobs, cpu);
    return kind == BoundKind::divisible ? divisible : ls1_bound(jobs, cpu, divisible);
  });
}

Result<StretchBounds> stretch_lower_bounds(const Instance& instance, const BoundOptions& options) {
  return bound_jobs(instance, options).map([&](const std::vector<BoundJob>& jobs) {
    const double cpu = instance.platform.total_cpu();
    const double divisible = divisible_bound(jobs, cpu);
    return StretchBounds{divisible, ls1_bound(jobs, cpu, divisible)};
  });
}

}  // namespace dfrs::sim
