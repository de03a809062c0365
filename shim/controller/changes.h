// SPDX-License-Identifier: GPL-2.0-or-later
// What a snapshot has changed; later stages of the step act on it.
#pragma once

#include <vector>

#include "policy/core/view.h"
#include "shim/controller/job.h"

namespace dfrs::shim {

struct Changes {
  // For the policy.
  bool resync = false;             ///< Slurm's state differs from what the policy believes
  bool suspended_outside = false;  ///< a job that we suspended is not in the engine, but could be
  std::vector<JobSlot> completed;  ///< slots of jobs that have left; already closed
  std::vector<Job*> entering;      ///< jobs that the policy gets and that are not in the engine yet
  std::vector<Job*> changed;       ///< jobs with a new CPU need (cpu_needs.h) or weight (weights.h)

  // For whatever uses node indices or talks to node agents.
  bool node_list = false;        ///< other nodes or another order: earlier indices are invalid
  bool agent_addresses = false;  ///< addresses of node agents have changed
  std::vector<Job*> launched;    ///< jobs whose nodes have been prepared, and perhaps booted

  bool job_count = false;  ///< jobs have come or gone

  /// Whether the state file must be updated.
  bool worth_saving() const { return resync || job_count || !completed.empty() || !entering.empty(); }
};

}  // namespace dfrs::shim
