// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/gang/host/experiment.h"

#include "sim/campaign/parallel.h"

namespace dfrs::sim {

Result<std::vector<std::vector<GangMetrics>>> replicate(std::span<const GangExperiment> experiments,
                                                        const ReplicationOptions& options) {
  std::vector<std::vector<GangMetrics>> results(experiments.size(), std::vector<GangMetrics>(options.replications));
  const auto simulate_one = [&](std::size_t index) {
    const GangExperiment& experiment = experiments[index / options.replications];
    const std::size_t replication = index % options.replications;
    RandomGangs gangs(experiment.workload, options.seed, replication);
    RandomSetupDelays setups(experiment.workload, options.seed, replication);
    return simulate_gangs(gangs, setups, experiment.options).map([&](const GangMetrics& metrics) {
      results[index / options.replications][replication] = metrics;
    });
  };
  return try_parallel_for(experiments.size() * options.replications, options.threads, simulate_one, options.progress)
      .map([&] { return std::move(results); });
}

ConfidenceInterval interval_of(std::span<const GangMetrics> runs,
                               const std::function<double(const GangMetrics&)>& figure) {
  std::vector<double> values;
  for (const GangMetrics& run : runs) values.push_back(figure(run));
  return confidence_interval(values);
}

double cost_performance(double base_lease, double base_response, double other_lease, double other_response) {
  return (base_lease - other_lease) / base_lease + (base_response - other_response) / base_response;
}

ConfidenceInterval cost_performance(std::span<const GangMetrics> base, std::span<const GangMetrics> other) {
  std::vector<double> paired;
  for (std::size_t k = 0; k < base.size(); ++k) {
    paired.push_back(
        cost_performance(base[k].lease_time, base[k].mean_response, other[k].lease_time, other[k].mean_response));
  }
  ConfidenceInterval interval = confidence_interval(paired);
  const auto mean = [](std::span<const GangMetrics> runs, double GangMetrics::* figure) {
    return interval_of(runs, [&](const GangMetrics& m) { return m.*figure; }).mean;
  };
  interval.mean = cost_performance(mean(base, &GangMetrics::lease_time), mean(base, &GangMetrics::mean_response),
                                   mean(other, &GangMetrics::lease_time), mean(other, &GangMetrics::mean_response));
  return interval;
}

}  // namespace dfrs::sim
