// SPDX-License-Identifier: GPL-2.0-or-later
// Results of a campaign: one row per instance and algorithm, as a value and as CSV.
#pragma once

#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/campaign/origin.h"
#include "sim/errors.h"
#include "sim/metrics/metrics.h"

namespace dfrs::sim {

struct ResultRow {
  std::string instance;
  std::string algorithm;  ///< canonical name
  std::size_t jobs = 0;
  double load = 0;             ///< offered load of the instance, see offered_load()
  double bound_divisible = 1;  ///< lower bounds on the optimal maximum stretch (RR-7659, section 3.1)
  double bound_ls1 = 1;
  Metrics metrics;
  double cpu_seconds = 0;                      ///< of the simulation; only this and the next two vary between runs
  double policy_call_mean = 0;                 ///< CPU time of a call of the policy, s; 0: not measured
  double policy_call_longest = 0;              ///< s
  std::shared_ptr<const ResultOrigin> origin;  ///< what made it; null: not known, as in files of older versions

  /// Jobs came faster than they ended, so the simulation was not finished (CampaignOptions::most_jobs): its metrics are
  /// NaN.
  bool ran_away() const { return std::isnan(metrics.max_stretch); }
  /// Degradation from bound (RR-7659, section 6.1), by the bound the published tables fit
  /// (docs/reference/semantics.md).
  double degradation() const { return metrics.max_stretch / bound_divisible; }
  /// The same from the other bound, which is never lower (sim/bound/bound.h).
  double degradation_ls1() const { return metrics.max_stretch / bound_ls1; }
};

/// Increment this with every change of simulation results (a golden in tests/golden changes) or of the result columns.
/// Stores of another version are refused.
inline constexpr int kResultsVersion = 9;

/// A number of a record.
template <typename Record>
using NumberOf = double Record::*;

/// A numeric column and its name in files.
struct ResultColumn {
  enum class Kind {
    first,  ///< in all files
    later,  ///< not in files of earlier versions, whose rows get NaN: unknown
    time,   ///< CPU time, see CpuSeconds
  };
  std::string_view name;
  Kind kind = Kind::first;
  NumberOf<ResultRow> own = nullptr;  ///< null: it is a metric
  NumberOf<Metrics> metric = nullptr;

  double& of(ResultRow& row) const { return own != nullptr ? row.*own : row.metrics.*metric; }
};
std::span<const ResultColumn> result_columns();

/// One field of a CSV line, quoted if needed (RFC 4180).
std::string csv_field(const std::string& text);
/// The shortest form that reads back as the same double; empty for NaN, which means unknown.
std::string csv_number(double value);

/// Whether results include the CPU times of simulations. Without them, equal campaigns have byte-identical results,
/// however they were divided.
enum class CpuSeconds { left_out, written };

/// Marks the row as that of a simulation that ran away.
void set_ran_away(ResultRow& row);

/// Removes the rows of simulations that ran away, which have nothing to average. Returns a sentence about them; empty:
/// there are none.
std::string take_ran_away(std::vector<ResultRow>& rows);

/// Header line and rows. Numbers have the shortest form that reads back as the same double; NaN is an empty field. The
/// last columns follow from the others and are not read back: degradation from both bounds and from the best of the
/// algorithms in `rows` (degradation_from_best).
std::string results_csv(const std::vector<ResultRow>& rows, CpuSeconds times);

/// Refuses results that must not be averaged together: with other simulation options, of other versions of the program,
/// or of one instance from other sources or workload options. Rows without an origin are not compared. Errors:
/// kExitUsage naming what differs.
Result<void> check_origins_agree(const std::vector<ResultRow>& rows);

/// The origins of `rows`, with their algorithms.
CampaignOrigin campaign_origin(const std::vector<ResultRow>& rows);

/// Parses the output of results_csv. Finds columns by name, so it also reads files of later versions with more columns.
/// Missing CPU times are 0, other columns of later versions NaN. Errors: kExitInput naming source:line.
Result<std::vector<ResultRow>> parse_results_csv(std::string_view text, const std::string& source);

/// The distinct values in order of first appearance.
std::vector<std::string> algorithms_of(const std::vector<ResultRow>& rows);
std::vector<std::string> instances_of(const std::vector<ResultRow>& rows);

}  // namespace dfrs::sim
