// SPDX-License-Identifier: GPL-2.0-or-later
// CPU needs of jobs from the use that node agents report (CpuNeed=measured of dfrs.conf). policy/core/measured_need.h
// has the rule. Memory is not affected.
#pragma once

#include "shim/conf/config.h"
#include "shim/controller/changes.h"
#include "shim/controller/job_table.h"
#include "shim/controller/nodes.h"
#include "shim/controller/quotas.h"
#include "shim/controller/throttle.h"
#include "shim/controller/timing.h"
#include "shim/quota/node_agents.h"

namespace dfrs::shim {

/// Shorter samples say little: quotas are enforced in periods of up to a second.
inline constexpr Seconds kLeastSample = 3;

class CpuNeeds {
 public:
  /// Reads the reports of nodes with running jobs, at most once per kReportInterval, sets Job::need, and adds jobs
  /// whose need has changed to changes.changed. Without agents, or with CpuNeed=asked, all jobs need what they asked
  /// for. The need of a job on several nodes is that of the node where it is highest. O(tasks + jobs reported).
  void measure(JobTable& jobs, const Nodes& nodes, const NodeAgents* agents, const Quotas& quotas, const Config& config,
               Seconds now, Changes& changes);

 private:
  Throttle look_{kReportInterval};
};

}  // namespace dfrs::shim
