// SPDX-License-Identifier: GPL-2.0-or-later
// Which combinations of width, estimate and run time the jobs of a machine have, and how often: the 3-dimensional
// matrix that Streit's job generator draws from (Streit 2003, section 4, after Krallmann 1998). Sparse: of the
// combinations that occur.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

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

  /// Equal combinations become one. O(n log n). Requires at least one cell.
  explicit JobMatrix(std::vector<Cell> cells);
  /// Every job of an instance as it is. O(n log n). Errors: InputError for an instance without jobs.
  static JobMatrix of(const Instance& instance);

  /// A job by three random numbers: its width, its estimate among jobs of that width, its run time among those.
  /// O(log cells).
  const Cell& draw(Random& random) const;

  std::span<const Cell> cells() const { return cells_; }
  double total_weight() const { return up_to_.back(); }

 private:
  // The cell at which the weights of [first, last) reach this share of them.
  std::size_t reach(std::size_t first, std::size_t last, double share) const;

  std::vector<Cell> cells_;    // by width, then estimate, then run time
  std::vector<double> up_to_;  // weights of all cells up to this one
};

}  // namespace dfrs::sim
