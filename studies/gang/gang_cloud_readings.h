// SPDX-License-Identifier: GPL-2.0-or-later
// Readings of what the gang paper leaves open, by name, for `reproduce gang-cloud --assume`. Each changes one thing.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/errors.h"
#include "sim/reproduce/reproduction.h"
#include "studies/gang/host/experiment.h"

namespace dfrs::sim {

/// A figure of a replication.
using GangFigure = double GangMetrics::*;

/// How CPE compares two schedulers.
struct CpeReading {
  GangFigure lease = &GangMetrics::lease_time;
  GangFigure response = &GangMetrics::mean_response;
  bool growth = false;   ///< (LJFS - AFCFS) instead of (AFCFS - LJFS)
  bool of_ljfs = false;  ///< relative to LJFS instead of AFCFS

  friend bool operator==(const CpeReading&, const CpeReading&) = default;
};

/// Everything that a reading can change; the default is the project's own.
struct GangCloudAssumed {
  GangExperiment experiment;  ///< without what defines a cell of table I
  bool starvation = true;
  CpeReading cpe;

  /// The experiment of a cell.
  GangExperiment of(double q, double lambda, gang::Scheduler scheduler, gang::Migration migration,
                    double x_factor) const;
};

/// Names and what they assume.
std::span<const ReproductionPart> gang_cloud_readings();

/// Applies readings in turn. Errors: kExitInternal for an unknown name.
Result<GangCloudAssumed> gang_cloud_assumed(std::span<const std::string> names);

/// The CPE of each pair of replications, under a reading.
std::vector<double> paired_cost_performance(std::span<const GangMetrics> afcfs, std::span<const GangMetrics> ljfs,
                                            const CpeReading& reading);

/// The CPE of the mean lease and response times over the replications, under a reading.
double mean_cost_performance(std::span<const GangMetrics> afcfs, std::span<const GangMetrics> ljfs,
                             const CpeReading& reading);

/// As cost_performance(), with a reading. The half-width is that of the CPE per pair of replications.
ConfidenceInterval cost_performance(std::span<const GangMetrics> afcfs, std::span<const GangMetrics> ljfs,
                                    const CpeReading& reading);

}  // namespace dfrs::sim
