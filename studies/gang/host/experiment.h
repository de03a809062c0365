// SPDX-License-Identifier: GPL-2.0-or-later
// Replications of gang scheduling on leased machines with confidence intervals, and the comparison of two schedulers by
// cost and performance.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sim/campaign/parallel.h"
#include "sim/metrics/confidence.h"
#include "studies/gang/host/elastic_simulation.h"

namespace dfrs::sim {

/// One configuration of the paper's experiments.
struct GangExperiment {
  GangWorkloadOptions workload;
  ElasticOptions options;
};

struct ReplicationOptions {
  std::size_t replications = 30;  ///< of each experiment, >= 1
  std::uint64_t seed = 1;
  unsigned threads = 0;  ///< 0: one per processor
  Progress progress;
};

/// Results by experiment, then by replication; independent of the number of threads. Replication r of each experiment
/// uses the same random numbers, so equal workloads have equal gangs. Errors: see simulate_gangs().
Result<std::vector<std::vector<GangMetrics>>> replicate(std::span<const GangExperiment> experiments,
                                                        const ReplicationOptions& options);

/// The 95 % confidence interval of a figure over replications.
ConfidenceInterval interval_of(std::span<const GangMetrics> runs,
                               const std::function<double(const GangMetrics&)>& figure);

/// CPE = D_LT + D_RT (equation 6): each is the difference relative to `base`, (base - other) / base, so that it is
/// negative if `base` is better. In the paper's tables, `base` is AFCFS and `other` is LJFS.
double cost_performance(double base_lease, double base_response, double other_lease, double other_response);

/// The CPE of the mean lease and response times over the replications; the half-width is that of the CPE per pair of
/// replications, which had the same gangs. Requires equally many of both, at least one.
ConfidenceInterval cost_performance(std::span<const GangMetrics> base, std::span<const GangMetrics> other);

}  // namespace dfrs::sim
