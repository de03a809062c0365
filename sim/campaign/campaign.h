// SPDX-License-Identifier: GPL-2.0-or-later
// Many simulations: every algorithm on every instance, on several threads.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "sim/campaign/results.h"
#include "sim/simulation.h"

namespace dfrs::sim {

struct CampaignOptions {
  SimOptions sim;              ///< its LP solver is replaced by one per thread
  Seconds stretch_floor = 10;  ///< b of the bounded stretch, in metrics and bounds alike
  unsigned threads = 0;        ///< 0: one per processor
  /// Told after each simulation how many are done; calls do not overlap.
  std::function<void(std::size_t done, std::size_t total)> progress;
};

/// One row per instance and algorithm, instances outermost, both in the given order whatever the number of threads.
/// The first failure (in that order) is thrown after the running simulations ended.
std::vector<ResultRow> run_campaign(std::span<const Instance> instances, std::span<const Algorithm> algorithms,
                                    const CampaignOptions& options);

}  // namespace dfrs::sim
