// SPDX-License-Identifier: GPL-2.0-or-later
// Many simulations: every algorithm on every instance, on several threads.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sim/campaign/results.h"
#include "sim/host/simulation.h"

namespace dfrs::sim {

class ResultStore;

struct CampaignOptions {
  SimOptions sim;              ///< its LP solver is replaced by one per thread
  Seconds stretch_floor = 10;  ///< b of the bounded stretch, in metrics and bounds alike
  unsigned threads = 0;        ///< 0: one per processor
  /// Told after each simulation how many are done; calls do not overlap.
  std::function<void(std::size_t done, std::size_t total)> progress;
  /// Where results are kept and found again; they are the same as without. May be null.
  ResultStore* store = nullptr;
};

/// All options that results depend on, with their values: equal texts, equal results.
std::string campaign_settings(const CampaignOptions& options);

/// One row per instance and algorithm, instances outermost, both in the given order whatever the number of threads.
/// The first failure (in that order) is thrown after the running simulations ended. With a store, those that other
/// processes are at are waited for.
std::vector<ResultRow> run_campaign(std::span<const Instance> instances, std::span<const Algorithm> algorithms,
                                    const CampaignOptions& options);

/// A part of a campaign: the simulations of these numbers (rows of run_campaign, from 0), whose results are then in the
/// store that `options` must have. Progress counts them alone.
void run_simulations(std::span<const Instance> instances, std::span<const Algorithm> algorithms,
                     const CampaignOptions& options, std::span<const std::size_t> numbers);

/// The numbers, ascending, of those simulations that the store has no result of.
std::vector<std::size_t> missing_simulations(std::span<const Instance> instances, std::span<const Algorithm> algorithms,
                                             const CampaignOptions& options);

}  // namespace dfrs::sim
