// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/average.h"

#include <algorithm>

namespace dfrs {

void AverageYield::build(const Sharing& sharing, LinearProgram& program) {
  program.clear();
  const double minimum = 1 / sharing.max_load();
  program.cost.assign(sharing.jobs().size(), 1.0);
  program.lower.assign(sharing.jobs().size(), minimum);
  program.upper.assign(sharing.jobs().size(), 1.0);
  for (const Sharing::Node& node : sharing.nodes()) {
    for (const Sharing::User& user : sharing.users(node)) {
      program.column.push_back(user.job);
      program.value.push_back(user.need);
    }
    program.end_row(node.capacity);
  }
}

bool AverageYield::solve(const Sharing& sharing, std::span<double> yields) {
  build(sharing, program_);
  if (program_.columns() == 0) return true;
  if (!solver_->maximize(program_, yields)) return false;
  for (double& y : yields) y = std::clamp(y, 1 / sharing.max_load(), 1.0);
  repair_yields(sharing, yields);
  return true;
}

}  // namespace dfrs
