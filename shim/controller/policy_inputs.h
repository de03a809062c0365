// SPDX-License-Identifier: GPL-2.0-or-later
// What the policy goes by beside a job's size and progress: whether and how it can be paused, what that costs, its
// weight, and the CPU that it needs.
#pragma once

#include "shim/conf/config.h"
#include "shim/controller/changes.h"
#include "shim/controller/cpu_needs.h"
#include "shim/controller/job_table.h"
#include "shim/controller/nodes.h"
#include "shim/controller/pause_costs.h"
#include "shim/controller/pause_rules.h"
#include "shim/controller/quotas.h"
#include "shim/quota/node_agents.h"

namespace dfrs::shim {

/// What the policy inputs are made from.
struct InputSources {
  const Config& config;
  const Nodes& nodes;
  const NodeAgents* agents;  ///< null: none reports
  const Quotas& quotas;
  bool shares_nodes;  ///< the algorithm does; CPU needs are measured for such alone
};

class PolicyInputs {
 public:
  /// Sets the inputs of all jobs; those whose input is new to the policy are added to `changes`.
  /// O(jobs log jobs + tasks).
  void update(const InputSources& from, JobTable& jobs, Changes& changes, Seconds now);
  /// The agents' reports of swap are read again at the next update().
  void forget_swap() { pause_rules_.forget(); }
  /// A job that was moved began its next run so long after the end of its last one.
  void restart_took(Seconds time) { pause_costs_.restart_took(time); }
  const PauseCosts& pause_costs() const { return pause_costs_; }

 private:
  PauseRulebook pause_rules_;
  PauseCosts pause_costs_;
  CpuNeeds cpu_needs_;
};

}  // namespace dfrs::shim
