// SPDX-License-Identifier: GPL-2.0-or-later
// Results of a campaign: one row per instance and algorithm, as a value and as CSV.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

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
  double cpu_seconds = 0;  ///< of the simulation; the only value that differs from run to run

  /// Degradation from bound (RR-7659, section 6.1), by the bound the published tables fit
  /// (docs/reference/semantics.md).
  double degradation() const { return metrics.max_stretch / bound_divisible; }
};

/// Raise it with every change of what simulations give (a golden of tests/golden changes) or the columns of results:
/// a store of another version is refused.
inline constexpr int kResultsVersion = 2;

/// A column of numbers, by the name it has in files.
struct ResultColumn {
  std::string_view name;
  double& (*of)(ResultRow& row);
};
std::span<const ResultColumn> result_columns();

/// One field of a CSV line: names may hold anything, so it is quoted where that is needed (RFC 4180).
std::string csv_field(const std::string& text);

/// Whether results are to have the times that simulations took. Without them equal campaigns have equal results, to the
/// byte, wherever and in however many pieces they ran.
enum class CpuSeconds { left_out, written };

/// Header line and rows. Numbers have the shortest form that reads back as the same double.
std::string results_csv(const std::vector<ResultRow>& rows, CpuSeconds times);

/// Reads what results_csv wrote. Columns are found by name, so that files of later versions with more of them still
/// read; times that are not there are 0. Errors: InputError naming source:line.
std::vector<ResultRow> parse_results_csv(std::string_view text, const std::string& source);

/// The distinct values in order of first appearance.
std::vector<std::string> algorithms_of(const std::vector<ResultRow>& rows);
std::vector<std::string> instances_of(const std::vector<ResultRow>& rows);

}  // namespace dfrs::sim
