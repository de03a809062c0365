// SPDX-License-Identifier: GPL-2.0-or-later
// The cells of a reproduction as tables of rows and columns, with everything common to all output formats.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/reproduce/reproduction.h"

namespace dfrs::sim {

struct ComparisonTable {
  struct Column {
    std::string heading;
    bool published = false;  ///< the paper has a value in at least one row
    bool whole = false;      ///< all values are whole numbers: counts
    int decimals = 0;        ///< of all values of the column, ours and the published
  };
  struct Row {
    std::string name;
    std::vector<std::optional<Comparison>> cells;  ///< one per column; nothing if the row lacks it
  };
  std::string part;
  std::string title;
  std::string corner;  ///< heading of the column of row names; empty unless it is drawn
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::vector<std::string> notes;  ///< sentences; the first says how many cells agree, if any
  std::optional<Plot> plot;

  bool published() const;  ///< in at least one column
};

/// True if any table has a published value.
bool any_published(std::span<const ComparisonTable> tables);

/// True if any cell is a mean with its spread.
bool any_spread(std::span<const ComparisonTable> tables);

/// One table per part with cells or notes, in the order of the reproduction's parts; rows and columns in order of first
/// appearance. Ignores notes without a part. Errors: kExitInternal for a bug in a reproduction: an unknown part, a
/// duplicate cell, or a row of a plot that is not a number. O(cells log cells).
Result<std::vector<ComparisonTable>> comparison_tables(const Reproduction& reproduction,
                                                       const ReproductionReport& report);

/// The number with that many decimals; without a sign if it rounds to 0.
std::string figure_text(double value, int decimals);

/// The measured value, or the cell's words. If the paper has no values, which would set the decimals, small values of a
/// column have more decimals than large ones: two significant digits, if three decimals suffice.
std::string figure_text(const Comparison& cell, const ComparisonTable::Column& column);

/// " [LOW, HIGH; MEDIAN]" for a mean, and nothing for other cells.
std::string spread_text(const Comparison& cell, const ComparisonTable::Column& column);

/// What spread_text() shows.
inline constexpr const char* kSpreadLegend =
    "[low, high; median]: the 95 % interval of the mean before it, by 2,000 bootstrap resamples (BCa, seed 20100419), "
    "and the median.";

/// A ratio with two or three significant digits: "0.034", "0.97", "12.3", "324".
std::string ratio_text(double ratio);

}  // namespace dfrs::sim
