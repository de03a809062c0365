// SPDX-License-Identifier: GPL-2.0-or-later
// OPT=AVG: maximal average yield with no yield below the maximised minimum (RR-7659, section 4.6, linear program (2)).
#pragma once

#include <span>

#include "policy/yield/lp_solver.h"
#include "policy/yield/sharing.h"

namespace dfrs {

class AverageYield {
 public:
  explicit AverageYield(LpSolver& solver) : solver_(&solver) {}

  /// Yields by index into sharing.jobs(). False if the solver gave up.
  bool solve(const Sharing& sharing, std::span<double> yields);

  /// The program itself, for tests.
  static void build(const Sharing& sharing, LinearProgram& program);

 private:
  LpSolver* solver_;
  LinearProgram program_;
};

}  // namespace dfrs
