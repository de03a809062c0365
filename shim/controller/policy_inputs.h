// SPDX-License-Identifier: GPL-2.0-or-later
// Inputs of the policy beside a job's size and progress: whether and how it can be paused, what that costs, its weight,
// and the CPU that it needs.
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

/// The sources of the inputs.
struct InputSources {
  const Config& config;
  const Nodes& nodes;
  const NodeAgents* agents;  ///< null: there are no reports
  const Quotas& quotas;
  bool shares_nodes;  ///< the algorithm lets jobs share nodes; only then are CPU needs measured
};

class PolicyInputs {
 public:
  /// Sets the inputs of all jobs. Jobs with a changed need or weight are added to changes.changed.
  /// O(jobs log jobs + tasks).
  void update(const InputSources& from, JobTable& jobs, Changes& changes, Seconds now);
  /// The next update() reads the agents' reports of swap again.
  void forget_swap() { pause_rules_.forget(); }
  /// A move took this long, from the end of one run to the start of the next.
  void restart_took(Seconds time) { pause_costs_.restart_took(time); }
  /// A node has written the image of a job, or read it.
  void image_written(const ImageTransfer& image) { pause_costs_.image_written(image); }
  void image_read(const ImageTransfer& image) { pause_costs_.image_read(image); }
  const PauseCosts& pause_costs() const { return pause_costs_; }

 private:
  PauseRulebook pause_rules_;
  PauseCosts pause_costs_;
  CpuNeeds cpu_needs_;
};

}  // namespace dfrs::shim
