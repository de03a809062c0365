// SPDX-License-Identifier: GPL-2.0-or-later
// The simulations behind a reproduction: its parts say what they need, each simulation is run once however many parts
// show it, and its result is kept in a store of the output folder, so that an interrupted run continues.
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
#include "sim/reproduce/reproduction.h"

namespace dfrs::sim {

/// Instances that algorithms are shown on.
struct PlannedSet {
  std::string name;      ///< sets of one name are the same
  std::size_t size = 0;  ///< of what make() gives
  /// Called when the set's turn has come; the instances are dropped when that is over. Errors: Failure.
  std::function<std::vector<Instance>()> make;
};

class CampaignPlan {
 public:
  /// `options` must outlive this. `reproduction`: its name; the store is NAME.db in the output folder, if there is one.
  CampaignPlan(const ReproduceOptions& options, std::string_view reproduction)
      : options_(options), reproduction_(reproduction) {}

  /// That results of an algorithm on a set will be asked for. Of `options`, simulator and stretch floor count; what
  /// makes no difference to the algorithm (the period without /per, the penalty expected by Triage) does not.
  /// Throws std::logic_error for an algorithm that does not parse.
  void need(const PlannedSet& set, std::string_view algorithm, const CampaignOptions& options = {});
  /// How many simulations are needed.
  std::size_t size() const;
  /// Runs them, sets in the order they were first needed in. Progress counts `others` more, which the caller runs
  /// afterwards. Errors: Failure.
  void run(std::size_t others = 0);
  /// After run(): results in the order of the set's instances. Throws std::out_of_range for what was not needed.
  std::span<const ResultRow> rows(std::string_view set, std::string_view algorithm,
                                  const CampaignOptions& options = {}) const;

 private:
  struct Need {
    Algorithm algorithm;
    CampaignOptions options;
    std::vector<ResultRow> rows;
  };
  // Set, settings as text, algorithm: those of a campaign are neighbours.
  using Key = std::tuple<std::size_t, std::string, std::string>;

  std::size_t number_of(std::string_view set) const;

  const ReproduceOptions& options_;
  std::string reproduction_;
  std::vector<PlannedSet> sets_;
  std::map<std::string, std::size_t, std::less<>> numbers_;
  std::map<Key, Need> needs_;
};

}  // namespace dfrs::sim
