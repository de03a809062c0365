// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/gang/gang_cloud_readings.h"

#include <array>
#include <vector>

namespace dfrs::sim {
namespace {

constexpr std::array<ReproductionPart, 15> kNames{{
    {"growth",
     "CPE is what LJFS takes more than AFCFS, so that a negative one favours LJFS, against the paper's words"},
    {"of-ljfs", "CPE is relative to LJFS"},
    {"slowdown", "CPE has the bounded slowdown instead of the response time"},
    {"response-by-tasks", "the response time is weighted by tasks"},
    {"lease-from-ready", "machines cost from the end of their setup"},
    {"lease-whole-units", "machines cost whole time units, begun ones too, as EC2 bills hours"},
    {"threshold-0.5", "machines are leased from half a waiting task per machine on"},
    {"threshold-2", "machines are leased from two waiting tasks per machine on"},
    {"threshold-4", "machines are leased from four waiting tasks per machine on"},
    {"queue-waiting", "the shortest queue counts waiting tasks only"},
    {"start-at-once", "a migrated gang starts at once"},
    {"starved-pass", "starved gangs may pass each other"},
    {"setup-10", "machines take ten times as long to set up"},
    {"migration-cost", "a migrated gang runs for a tenth of the mean execution time longer"},
    {"no-starvation", "no gang counts as starved"},
}};

// False for an unknown name.
bool adopt(std::string_view name, GangCloudAssumed& a) {
  gang::Options& policy = a.experiment.options.policy;
  if (name == "growth") {
    a.cpe.growth = true;
  } else if (name == "of-ljfs") {
    a.cpe.of_ljfs = true;
  } else if (name == "slowdown") {
    a.cpe.response = &GangMetrics::mean_bounded_slowdown;
  } else if (name == "response-by-tasks") {
    a.cpe.response = &GangMetrics::response_by_tasks;
  } else if (name == "lease-from-ready") {
    a.cpe.lease = &GangMetrics::lease_from_ready;
  } else if (name == "lease-whole-units") {
    a.cpe.lease = &GangMetrics::lease_whole_units;
  } else if (name == "threshold-0.5") {
    policy.load_threshold = 0.5;
  } else if (name == "threshold-2") {
    policy.load_threshold = 2;
  } else if (name == "threshold-4") {
    policy.load_threshold = 4;
  } else if (name == "queue-waiting") {
    policy.queue_length = gang::QueueLength::waiting;
  } else if (name == "start-at-once") {
    policy.migrated_start = gang::MigratedStart::at_once;
  } else if (name == "starved-pass") {
    policy.starved_order = gang::StarvedOrder::pass;
  } else if (name == "setup-10") {
    a.experiment.workload.setup_most *= 10;
  } else if (name == "migration-cost") {
    a.experiment.options.migration_cost = 0.1;
  } else if (name == "no-starvation") {
    a.starvation = false;
  } else {
    return false;
  }
  return true;
}

}  // namespace

GangExperiment GangCloudAssumed::of(double q, double lambda, gang::Scheduler scheduler, gang::Migration migration,
                                    double x_factor) const {
  GangExperiment cell = experiment;
  cell.workload.small_probability = q;
  cell.workload.arrival_rate = lambda;
  cell.options.policy.scheduler = scheduler;
  cell.options.policy.migration = migration;
  cell.options.policy.starvation_threshold = starvation ? x_factor : kNever;
  return cell;
}

std::span<const ReproductionPart> gang_cloud_readings() { return kNames; }

Result<GangCloudAssumed> gang_cloud_assumed(std::span<const std::string> names) {
  GangCloudAssumed assumed;
  for (const std::string& name : names) {
    if (!adopt(name, assumed)) return error(kExitInternal, "no reading of the gang paper is called " + name);
  }
  return assumed;
}

namespace {

double cpe_of(const CpeReading& reading, double afcfs_lease, double afcfs_response, double ljfs_lease,
              double ljfs_response) {
  const double saved = reading.of_ljfs ? -cost_performance(ljfs_lease, ljfs_response, afcfs_lease, afcfs_response)
                                       : cost_performance(afcfs_lease, afcfs_response, ljfs_lease, ljfs_response);
  return reading.growth ? -saved : saved;
}

}  // namespace

std::vector<double> paired_cost_performance(std::span<const GangMetrics> afcfs, std::span<const GangMetrics> ljfs,
                                            const CpeReading& reading) {
  std::vector<double> paired;
  for (std::size_t k = 0; k < afcfs.size(); ++k) {
    paired.push_back(cpe_of(reading, afcfs[k].*reading.lease, afcfs[k].*reading.response, ljfs[k].*reading.lease,
                            ljfs[k].*reading.response));
  }
  return paired;
}

double mean_cost_performance(std::span<const GangMetrics> afcfs, std::span<const GangMetrics> ljfs,
                             const CpeReading& reading) {
  const auto mean = [](std::span<const GangMetrics> runs, GangFigure figure) {
    double sum = 0;
    for (const GangMetrics& run : runs) sum += run.*figure;
    return sum / static_cast<double>(runs.size());
  };
  return cpe_of(reading, mean(afcfs, reading.lease), mean(afcfs, reading.response), mean(ljfs, reading.lease),
                mean(ljfs, reading.response));
}

ConfidenceInterval cost_performance(std::span<const GangMetrics> afcfs, std::span<const GangMetrics> ljfs,
                                    const CpeReading& reading) {
  ConfidenceInterval interval = confidence_interval(paired_cost_performance(afcfs, ljfs, reading));
  interval.mean = mean_cost_performance(afcfs, ljfs, reading);
  return interval;
}

}  // namespace dfrs::sim
