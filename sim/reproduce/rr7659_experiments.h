// SPDX-License-Identifier: GPL-2.0-or-later
// The simulations behind RR-7659's tables and figures. Each runs once, however many parts show it.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/campaign/results.h"
#include "sim/host/instance.h"
#include "sim/reproduce/campaign_plan.h"
#include "sim/reproduce/reproduction.h"
#include "sim/reproduce/rr7659_readings.h"

namespace dfrs::sim::rr7659 {

/// The paper's sets of instances (section 5.3). The scaled set is split in two, because its costs refer to high loads
/// only.
enum class Set { hpc2n, unscaled, scaled_low, scaled_high };
inline constexpr std::array<Set, 4> kSets{Set::hpc2n, Set::unscaled, Set::scaled_low, Set::scaled_high};

/// A column of the paper: one set, or two of ours.
struct PaperSet {
  std::string_view name;
  std::span<const Set> sets;
};
inline constexpr std::array<PaperSet, 3> kPaperSets{{{"HPC2N", std::span(kSets).subspan(0, 1)},
                                                     {"unscaled", std::span(kSets).subspan(1, 1)},
                                                     {"scaled", std::span(kSets).subspan(2, 2)}}};

/// Offered loads of the scaled traces; high ones are 0.7 and more.
inline constexpr std::array<double, 6> kLowLoads{0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
inline constexpr std::array<double, 3> kHighLoads{0.7, 0.8, 0.9};

inline constexpr std::size_t kWeeks = 182;   ///< of the log
inline constexpr std::size_t kTraces = 100;  ///< generated; each is scaled to nine loads
inline constexpr Seconds kPeriod = 600;      ///< except in figures about the period
inline constexpr std::string_view kLog = "HPC2N-2002-2.1-cln";

/// `count` of `total` weeks, spread evenly: the first ones in the order 0, 1/2, 1/4, 3/4, 1/8, ... of the log. A larger
/// count includes the weeks of a smaller one, so that a full run reuses the results of a first look. Ascending.
std::vector<std::size_t> spread(std::size_t count, std::size_t total);

class Experiments {
 public:
  /// `options` must outlive this. `assumed`: what its readings change.
  Experiments(const ReproduceOptions& options, Assumed assumed);
  Experiments(const Experiments&) = delete;
  Experiments& operator=(const Experiments&) = delete;

  const Assumed& assumed() const { return assumed_; }

  /// Declares that a part shows this algorithm on this set. The period matters only to algorithms with /per.
  void need(Set set, std::string_view algorithm, Seconds period = kPeriod);
  /// Runs the simulations needed. Keeps results in a store in the output folder.
  Result<void> run() { return plan_.run(); }

  /// True if the set's instances are available: HPC2N needs its log.
  bool has(Set set) const { return set != Set::hpc2n || !log().empty(); }
  /// After run(): the results, in the order of instances; scaled ones by load, then by seed.
  std::span<const ResultRow> rows(Set set, std::string_view algorithm, Seconds period = kPeriod) const;
  /// Values of all results of the sets. Errors: those of rows().
  std::vector<double> values(std::span<const Set> sets, std::string_view algorithm, Seconds period,
                             double (*value)(const ResultRow&)) const;
  /// A sentence on how many instances stand for how many of the paper's.
  std::string describe(Set set) const;
  const ReproduceOptions& options() const { return options_; }
  /// Generated traces of a set, before scaling.
  std::size_t traces() const;
  /// Of how many traces the values() of scaled sets are, each trace at several loads. 0 for other sets, whose values
  /// are independent.
  std::size_t traces_of(std::span<const Set> sets) const {
    const bool scaled = sets.front() == Set::scaled_low || sets.front() == Set::scaled_high;
    return scaled ? traces() : 0;
  }

 private:
  std::size_t weeks() const;
  std::size_t size(Set set) const;
  Result<std::vector<Instance>> instances(Set set) const;
  CampaignOptions campaign(Seconds period) const;
  // Looked for only where a part needs it: results name the logs that were found.
  const std::string& log() const;

  const ReproduceOptions& options_;
  Assumed assumed_;
  mutable std::optional<std::string> log_;
  CampaignPlan plan_;
};

}  // namespace dfrs::sim::rr7659
