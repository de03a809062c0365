// SPDX-License-Identifier: GPL-2.0-or-later
// Simulates every algorithm on every instance, on several threads.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sim/campaign/parallel.h"
#include "sim/campaign/results.h"
#include "sim/errors.h"
#include "sim/host/simulation.h"

namespace dfrs::sim {

class ResultStore;

struct CampaignOptions {
  SimOptions sim;
  Seconds stretch_floor = 10;  ///< b of the bounded stretch, in metrics and bounds alike
  unsigned threads = 0;        ///< 0: one per processor
  Progress progress;
  bool policy_times = false;  ///< measures the policy's calls, for the times in the results
  /// A simulation in which more jobs than this are in the system at once ends there; its row has ran_away(). 0: no
  /// limit.
  std::size_t most_jobs = 0;
  /// So does one in which jobs pile up while they are paused and moved all the time (PileUpGuard).
  bool ends_pile_ups = true;
  std::function<void(const std::string&)> warn = {};  ///< Watch::warn, from any thread
  /// `sim` and `stretch_floor` as on a command line, for the results; empty: see campaign_settings.
  std::string described;
  /// Caches results, which are the same as without it. May be null.
  ResultStore* store = nullptr;
};

/// All options that results depend on, with their values: equal texts mean equal results.
std::string campaign_settings(const CampaignOptions& options);

/// One row per instance and algorithm, instances outermost, both in the given order whatever the number of threads.
/// The first error (in that order) is returned once the running simulations have ended. With a store, waits for
/// simulations that other processes are running.
Result<std::vector<ResultRow>> run_campaign(std::span<const Instance> instances, std::span<const Algorithm> algorithms,
                                            const CampaignOptions& options);

/// Runs a part of a campaign: the simulations with these numbers (rows of run_campaign, from 0). Results go to the
/// store, which `options` must have. Progress counts only these simulations.
Result<void> run_simulations(std::span<const Instance> instances, std::span<const Algorithm> algorithms,
                             const CampaignOptions& options, std::span<const std::size_t> numbers);

/// The numbers, ascending, of the simulations without a result in the store.
Result<std::vector<std::size_t>> missing_simulations(std::span<const Instance> instances,
                                                     std::span<const Algorithm> algorithms,
                                                     const CampaignOptions& options);

}  // namespace dfrs::sim
