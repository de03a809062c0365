// SPDX-License-Identifier: GPL-2.0-or-later
// Linear programs by GLPK, against which tests check the yields of OPT=AVG.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dfrs::oracle {

/// Maximise cost . x subject to row . x <= bound for every row, and lower <= x <= upper. Rows are sparse: row r has the
/// entries [row_start[r], row_start[r + 1]).
struct LinearProgram {
  std::vector<double> cost, lower, upper;  // by column
  std::vector<std::size_t> row_start;      // by row, and the end of the last row
  std::vector<std::size_t> column;         // by entry
  std::vector<double> value;               // by entry
  std::vector<double> bound;               // by row

  std::size_t columns() const { return cost.size(); }
  std::size_t rows() const { return bound.size(); }
  void clear() {
    cost.clear(), lower.clear(), upper.clear();
    row_start.assign(1, 0);
    column.clear(), value.clear(), bound.clear();
  }
  void end_row(double b) {
    bound.push_back(b);
    row_start.push_back(column.size());
  }
};

/// Writes an optimal solution to `x`, which has columns() entries. False, with `x` unspecified, if there is none.
bool maximize(const LinearProgram& problem, std::span<double> x);

}  // namespace dfrs::oracle
