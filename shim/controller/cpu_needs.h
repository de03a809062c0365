// SPDX-License-Identifier: GPL-2.0-or-later
// Which jobs use less CPU than they asked for (CpuNeed=measured of dfrs.conf), by what the node agents report. The rule
// is in policy/core/measured_need.h; memory is never touched by it.
#pragma once

#include "shim/conf/config.h"
#include "shim/controller/changes.h"
#include "shim/controller/job_table.h"
#include "shim/controller/nodes.h"
#include "shim/controller/quotas.h"
#include "shim/quota/node_agents.h"

namespace dfrs::shim {

/// Use over less than this says little: the kernel deals CPU out in periods of a tenth of a second.
inline constexpr Seconds kLeastSample = 3;

class CpuNeeds {
 public:
  /// Looks at the reports of nodes with running jobs, at most once per kReportInterval, and sets Job::need; jobs whose
  /// need has changed are named in changes.changed. `agents` null, or off: all jobs need what they asked for. A job
  /// that runs on several nodes needs what it needs where it needs most. O(tasks + jobs reported).
  void measure(JobTable& jobs, const Nodes& nodes, const NodeAgents* agents, const Quotas& quotas, const Config& config,
               Seconds now, Changes& changes);

 private:
  Seconds looked_at_ = -1;
};

}  // namespace dfrs::shim
