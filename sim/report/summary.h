// SPDX-License-Identifier: GPL-2.0-or-later
// The figures of a report: statistics per algorithm over the instances of a campaign (RR-7659, tables 2 to 4).
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/campaign/results.h"
#include "sim/errors.h"
#include "sim/metrics/bootstrap.h"
#include "sim/metrics/metrics.h"

namespace dfrs::sim {

/// A figure that a report averages over instances, beside the degradation from bound.
struct AveragedFigure {
  std::string_view name;  ///< as in files
  double (*of)(const ResultRow& row, double degradation_from_best);
};
std::span<const AveragedFigure> averaged_figures();

/// How far the values of an average are apart; NaN if a value is unknown.
struct AverageSpread {
  double median = std::numeric_limits<double>::quiet_NaN();
  std::optional<Interval> interval = {};  ///< of the mean; nothing with one instance
};

/// What others published for an algorithm, where it is known.
struct PublishedFigures {
  std::optional<double> degradation;  ///< the mean over instances
  std::optional<double> mean_stretch, max_stretch, mean_turnaround;
};

/// Averages are over the algorithm's instances, each with the same weight.
struct AlgorithmSummary {
  std::string algorithm;
  std::size_t instances = 0;
  bool complete = true;         ///< has a result for every instance of the campaign; only such algorithms are ranked
  Summary degradation;          ///< from bound, see ResultRow::degradation; >= 1 up to rounding
  Metrics mean;                 ///< of each metric; NaN if a result is from a version that did not have it
  double bound = 0;             ///< bound_divisible
  double traffic_gb_per_s = 0;  ///< memory of paused and moved jobs together
  double degradation_ls1 = 0;   ///< from the other bound
  double degradation_from_best = 0;    ///< of the algorithms compared, see sim/campaign/degradation.h
  std::vector<AverageSpread> spreads;  ///< of averaged_figures(), in their order
  PublishedFigures published;
  std::optional<Interval> degradation_interval;  ///< of the mean; nothing with one instance
  /// Of the average with this name in averaged_figures(). Errors: std::out_of_range.
  const AverageSpread& spread(std::string_view name) const;
  /// Mean of degradation minus that of CampaignSummary::reference, over the instances that both have. Nothing if they
  /// have none in common; 0 without an interval for the reference itself.
  std::optional<double> difference;
  std::optional<Interval> difference_interval;  ///< of pairs: instances differ more than algorithms do
};

struct CampaignSummary {
  std::size_t instances = 0;
  std::size_t jobs = 0;      ///< of all instances together
  std::size_t jobs_min = 0;  ///< of one instance
  std::size_t jobs_max = 0;
  double load_min = 0;
  double load_max = 0;
  std::string published_source;  ///< a sentence: where AlgorithmSummary::published is from; empty: none is known
  std::vector<AlgorithmSummary> algorithms;
  std::string reference;  ///< the first algorithm with the lowest mean degradation of complete ones; empty: none is
  CampaignOrigin origin;  ///< what the rows are of

  /// The lowest mean degradation among complete algorithms; infinite if none is complete.
  double best_degradation() const;
  /// True for a complete algorithm within a relative 1e-9 of the best.
  bool is_best(const AlgorithmSummary& algorithm) const;
};

enum class SummaryOrder {
  as_given,        ///< as in SummaryOptions::algorithms, then in order of first appearance in the rows
  by_degradation,  ///< best mean degradation first; incomplete algorithms last
};

struct SummaryOptions {
  SummaryOrder order = SummaryOrder::as_given;
  std::vector<std::string> algorithms;  ///< come first, in this order; names without results are ignored
};

/// Errors: kExitInput if there are no rows, an algorithm has two results for one instance, rows of an instance differ
/// in its bound or jobs, or a value is not a finite number in its range (bounds and stretches > 0). O(rows log rows).
Result<CampaignSummary> summarize_campaign(const std::vector<ResultRow>& rows, const SummaryOptions& options = {});

/// Instances with about the same offered load.
struct LoadGroup {
  double load = 0;  ///< their common rounded load
  std::vector<std::string> instances;
};

/// True if loads differ enough (by more than 0.05) to show results against load.
bool loads_differ(const CampaignSummary& summary);

/// Groups instances by load, by increasing load. Rounds to 0.01 if that gives at most 12 groups with at least two
/// instances on average, as for traces scaled to a few loads; otherwise to 0.1. `width` returns the rounding.
std::vector<LoadGroup> load_groups(const std::vector<ResultRow>& rows, double* width = nullptr);

}  // namespace dfrs::sim
