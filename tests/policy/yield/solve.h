// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include "policy/core/cluster_state.h"
#include "policy/core/view.h"
#include "policy/yield/cpu_contention.h"

namespace dfrs {

/// What a rule gives the running jobs of a view, by slot; 0 where the job does not run.
template <typename Rule>
std::vector<double> yields_by(Rule&& rule, const ClusterView& view) {
  ClusterState state;
  state.resync(view);
  CpuContention contention;
  contention.build(state, view);
  std::vector<double> limited(contention.jobs().size());
  rule.solve(contention, limited);
  std::vector<double> yields(view.jobs.size(), 0.0);
  for (JobSlot job : contention.running()) yields[job] = 1;
  for (std::size_t k = 0; k < limited.size(); ++k) yields[contention.jobs()[k].slot] = limited[k];
  return yields;
}

}  // namespace dfrs
