// SPDX-License-Identifier: GPL-2.0-or-later
// Random mappings for yields of /stretch-per.
#pragma once

#include <vector>

#include "policy/core/cluster_state.h"
#include "policy/yield/cpu_contention.h"
#include "policy/yield/stretch.h"
#include "tests/oracle/random_case.h"
#include "tests/oracle/world.h"

namespace dfrs {

inline constexpr Seconds kRest = 64;  // to the next tick

struct StretchProblem {
  explicit StretchProblem(const oracle::SnapshotCase& random) : world(random.world()) {
    const ClusterView view = random.view();
    ClusterState state;
    state.resync(view);
    contention.build(state, view);
    for (const CpuContention::Job& job : contention.jobs()) {
      const JobView& spec = view.jobs[job.slot];
      jobs.push_back({spec.flow_time(view.now) + kRest, spec.virtual_time(view.now), kRest});
    }
    limited.resize(jobs.size());
  }
  // By slot.
  std::vector<double> yields() const {
    std::vector<double> all(world.jobs.size(), 0.0);
    for (JobSlot job : contention.running()) all[job] = 1;
    for (std::size_t k = 0; k < limited.size(); ++k) all[contention.jobs()[k].slot] = limited[k];
    return all;
  }
  oracle::World world;
  CpuContention contention;
  std::vector<StretchEstimate> jobs;
  std::vector<double> limited;
};

}  // namespace dfrs
