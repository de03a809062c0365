// SPDX-License-Identifier: GPL-2.0-or-later
// The cells of a reproduction as tables of rows and columns, with what is the same in every form they are shown in.
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
    bool published = false;  ///< the paper has a figure in at least one row
    bool whole = false;      ///< all figures are whole numbers: counts
    int decimals = 0;        ///< of all figures of the column, ours and the published
  };
  struct Row {
    std::string name;
    std::vector<std::optional<Comparison>> cells;  ///< one per column; nothing: not in this row
  };
  std::string part;
  std::string title;
  std::string corner;  ///< heading of the column of row names; empty unless it is drawn
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::vector<std::string> notes;  ///< sentences, the first of them on how many cells agree if there are any
  std::optional<Plot> plot;

  bool published() const;  ///< in at least one column
};

/// Whether there is a published figure in any of them.
bool any_published(std::span<const ComparisonTable> tables);

/// A table per part that has cells or notes, in the order of the reproduction's parts; rows and columns in the order in
/// which they first appear. Notes without a part are left out. Throws std::logic_error where a reproduction is wrong:
/// an unknown part, a cell that is given twice, or a row of a plot that is no number. O(cells log cells).
std::vector<ComparisonTable> comparison_tables(const Reproduction& reproduction, const ReproductionReport& report);

/// The number with that many decimals; without sign where it rounds to 0.
std::string figure_text(double value, int decimals);

/// What is measured, or the cell's words. Where the paper has no figures, which ask for decimals of their own, small
/// figures of a column have more decimals than its large ones: two digits that count, if three decimals are enough.
std::string figure_text(const Comparison& cell, const ComparisonTable::Column& column);

/// A ratio with two or three digits that count: "0.034", "0.97", "12.3", "324".
std::string ratio_text(double ratio);

}  // namespace dfrs::sim
