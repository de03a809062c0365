// SPDX-License-Identifier: GPL-2.0-or-later
// The simulations behind a reproduction. Parts declare what they need; each simulation runs once, however many parts
// show it. Results go to a store in the output folder, so that an interrupted run continues.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "policy/core/algorithm.h"
#include "sim/campaign/campaign.h"
#include "sim/errors.h"
#include "sim/reproduce/reproduction.h"

namespace dfrs::sim {

/// A named set of instances.
struct PlannedSet {
  std::string name;      ///< sets with equal names are the same
  std::size_t size = 0;  ///< number of instances that make() returns
  /// Called when the set is needed; its instances are freed afterwards.
  std::function<Result<std::vector<Instance>>()> make;
};

class CampaignPlan {
 public:
  /// `options` must outlive this. `reproduction`: its name. The store is NAME.db in the output folder, if there is one.
  CampaignPlan(const ReproduceOptions& options, std::string_view reproduction)
      : options_(options), reproduction_(reproduction) {}

  /// Declares that rows() will be called for this algorithm and set. Only the simulator's options and the stretch floor
  /// of `options` matter; options without effect on the algorithm (the period without /per, the penalty expected by
  /// Triage) do not. The algorithm must be known.
  void need(const PlannedSet& set, std::string_view algorithm, const CampaignOptions& options = {});
  /// Number of simulations needed.
  std::size_t size() const;
  /// Runs the simulations, sets in the order of first need. Progress also counts `others`, which the caller runs
  /// afterwards.
  Result<void> run(std::size_t others = 0);
  /// After run(): results in the order of the set's instances. They must have been declared by need().
  std::span<const ResultRow> rows(std::string_view set, std::string_view algorithm,
                                  const CampaignOptions& options = {}) const;

 private:
  struct Need {
    Algorithm algorithm;
    CampaignOptions options;
    std::vector<ResultRow> rows;
  };
  // Set, settings as text, algorithm: simulations of one campaign are adjacent.
  using Key = std::tuple<std::size_t, std::string, std::string>;

  std::size_t number_of(std::string_view set) const;

  const ReproduceOptions& options_;
  std::string reproduction_;
  std::vector<PlannedSet> sets_;
  std::map<std::string, std::size_t, std::less<>> numbers_;
  std::map<Key, Need> needs_;
};

}  // namespace dfrs::sim
