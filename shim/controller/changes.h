// SPDX-License-Identifier: GPL-2.0-or-later
// What a snapshot has changed, for the later stages of the step.
#pragma once

#include <vector>

#include "policy/core/view.h"
#include "shim/controller/job.h"

namespace dfrs::shim {

struct Changes {
  // For the policy.
  bool resync = false;             ///< Slurm's state differs from what the policy believes
  bool suspended_outside = false;  ///< a job suspended by us is not in the engine, but could be
  std::vector<JobSlot> completed;  ///< slots of jobs that have left; already closed
  std::vector<Job*> entering;      ///< not in the engine, and the policy's from now on
  std::vector<Job*> changed;       ///< their CPU need (cpu_needs.h) or weight (weights.h) is new to the policy

  // For everything that goes by node index or talks to node agents.
  bool node_list = false;        ///< other nodes, or another order: indices mean something else
  bool agent_addresses = false;  ///< where the agents are

  bool job_count = false;  ///< jobs have come or gone

  /// Whether the state file should learn of it.
  bool worth_saving() const { return resync || job_count || !completed.empty() || !entering.empty(); }
};

}  // namespace dfrs::shim
