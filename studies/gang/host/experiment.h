// SPDX-License-Identifier: GPL-2.0-or-later
// Replications of gang scheduling on leased machines, with confidence intervals, and the comparison of two schedulers
// by cost and performance.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

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
  /// Told after each replication how many are done; calls do not overlap. May be empty.
  std::function<void(std::size_t done, std::size_t total)> progress;
};

/// By experiment, then by replication; the same whatever the number of threads. Replication r of each experiment has
/// the same random numbers: gangs are the same where the workload is. Errors: UsageError, see simulate_gangs().
std::vector<std::vector<GangMetrics>> replicate(std::span<const GangExperiment> experiments,
                                                const ReplicationOptions& options);

/// Of a figure over replications, at 95 %.
ConfidenceInterval interval_of(std::span<const GangMetrics> runs,
                               const std::function<double(const GangMetrics&)>& figure);

/// CPE = D_LT + D_RT (equation 6): each the difference relative to `base`, (base - other) / base, so that it is
/// negative where `base` is better. With the paper's tables `base` is AFCFS and `other` LJFS.
double cost_performance(double base_lease, double base_response, double other_lease, double other_response);

/// CPE of the mean lease and response times over the replications, as mean; the half-width is that of the replications'
/// own CPE, paired (they met the same gangs). Requires as many of `other` as of `base`, at least one.
ConfidenceInterval cost_performance(std::span<const GangMetrics> base, std::span<const GangMetrics> other);

}  // namespace dfrs::sim
