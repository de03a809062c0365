// SPDX-License-Identifier: GPL-2.0-or-later
// How often each combination of width, estimate and run time occurs among the jobs of a machine: the 3-dimensional
// matrix that Streit's job generator draws from (Streit 2003, section 4, after Krallmann 1998). Sparse: holds only the
// combinations that occur.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sim/errors.h"
#include "sim/host/instance.h"
#include "sim/workload/random.h"

namespace dfrs::sim {

class JobMatrix {
 public:
  struct Cell {
    int width = 1;
    Seconds estimate = 0;
    Seconds run_time = 0;
    double weight = 1;  ///< > 0: proportional to the probability
  };

  /// Merges equal combinations. O(n log n). Requires at least one cell.
  explicit JobMatrix(std::vector<Cell> cells);
  /// The matrix of an instance's jobs. O(n log n). Errors: kExitInput for an instance without jobs.
  static Result<JobMatrix> of(const Instance& instance);

  /// A job by three random numbers: its width, its estimate among jobs of that width, its run time among those.
  /// O(log cells).
  const Cell& draw(Random& random) const;

  std::span<const Cell> cells() const { return cells_; }
  double total_weight() const { return up_to_.back(); }

 private:
  // The cell in [first, last) at which the cumulative weight reaches this share of the range's total.
  std::size_t reach(std::size_t first, std::size_t last, double share) const;

  std::vector<Cell> cells_;    // by width, then estimate, then run time
  std::vector<double> up_to_;  // cumulative weights
};

}  // namespace dfrs::sim
