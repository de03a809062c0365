// SPDX-License-Identifier: GPL-2.0-or-later
// The linear programs of the policy core, and the interface to whatever solves them. The core has no solver of its own:
// the host hands one in (GLPK in the simulator), or goes without /stretch-per/OPT=AVG.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dfrs {

/// maximize cost . x subject to row . x <= bound for every row, lower <= x <= upper. Rows are stored sparsely:
/// row r has entries [row_start[r], row_start[r + 1]).
struct LinearProgram {
  std::vector<double> cost, lower, upper;  // by column
  std::vector<std::size_t> row_start;      // one more than there are rows
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

class LpSolver {
 public:
  virtual ~LpSolver() = default;
  /// An optimal x, written to `x` (size columns()). False where none was found; x is then unspecified. Deterministic.
  virtual bool maximize(const LinearProgram& problem, std::span<double> x) = 0;
};

}  // namespace dfrs
