// SPDX-License-Identifier: GPL-2.0-or-later
// The simulations behind the evaluation of Triage, and where the jobs' time goes in them.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/swap_size.h"
#include "sim/campaign/results.h"
#include "sim/reproduce/reproduction.h"
#include "sim/reproduce/triage/losses.h"
#include "sim/reproduce/triage/sets.h"

namespace dfrs::sim::triage_study {

/// How a set is simulated.
struct Setting {
  Seconds penalty = 300;        ///< of pauses and moves
  Seconds expected = -1;        ///< what Triage expects; negative: the true penalty
  Seconds period = 600;         ///< of algorithms with /per
  bool discover_needs = false;  ///< SimOptions::discover_needs
  bool pack_tasks = false;      ///< BatchOptions::pack_tasks
  PauseWorld pauses = {};       ///< what pauses do
  record::SwapSize swap = {};   ///< of each node, for jobs that are suspended
};

/// The simulator's options for a setting.
SimOptions sim_options(const Setting& setting);

/// The policy under evaluation, with its defaults.
inline constexpr std::string_view kTriage = "Triage";

class Study {
 public:
  /// `options` must outlive this.
  explicit Study(const ReproduceOptions& options) : options_(options), plan_(options, "triage") {}

  /// Declares that a part shows this algorithm on this set.
  void need(const InstanceSet& set, std::string_view algorithm, const Setting& setting = {});
  /// Declares that a part shows where the jobs' time under Triage goes. The store lacks those times, so the set is
  /// simulated again.
  void need_losses(const InstanceSet& set);
  /// Runs the simulations needed.
  Result<void> run();
  /// After run(): results in the order of the set's instances. They must have been declared by need().
  std::span<const ResultRow> rows(const InstanceSet& set, std::string_view algorithm,
                                  const Setting& setting = {}) const;
  /// The same for need_losses().
  const std::vector<Losses>& losses(const InstanceSet& set) const { return losses_.at(set.name); }

 private:
  const ReproduceOptions& options_;
  CampaignPlan plan_;
  std::map<std::string, InstanceSet> losses_on_;
  std::map<std::string, std::vector<Losses>> losses_;
};

}  // namespace dfrs::sim::triage_study
