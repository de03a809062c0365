// SPDX-License-Identifier: GPL-2.0-or-later
// Linear programs by GLPK, for /stretch-per/OPT=AVG in the simulator. GLPK aborts the process when misused, so it stays
// out of slurmctld.
#pragma once

#include "policy/yield/lp_solver.h"

namespace dfrs::sim {

/// One per thread: GLPK keeps its environment per thread.
class GlpkSolver final : public LpSolver {
 public:
  bool maximize(const LinearProgram& problem, std::span<double> x) override;
};

}  // namespace dfrs::sim
