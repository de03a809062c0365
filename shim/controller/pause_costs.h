// SPDX-License-Identifier: GPL-2.0-or-later
// What pausing and moving costs a job, in seconds of its progress: what the policy weighs (JobView::penalty).
//
//   suspend   its memory goes to swap and comes back, at the rate at which nodes have been seen to do it
//   requeue   the time from the end of a run to the beginning of the next, as measured on jobs that were moved, and,
//             without a checkpoint, all that it has done so far: it would have to do that again
//
// SwapRate and RestartCost of dfrs.conf replace what is measured.
#pragma once

#include "shim/conf/config.h"
#include "shim/controller/job_table.h"
#include "shim/controller/nodes.h"
#include "shim/quota/node_agents.h"

namespace dfrs::shim {

/// Until something has been measured: a disk's swap, and Slurm with a short epilog and a checkpoint that is read back.
inline constexpr double kSwapRateAtFirst = 100;  // MiB/s
inline constexpr Seconds kRestartAtFirst = 30;
/// Weight of a new measurement beside what was known.
inline constexpr double kNewMeasurement = 0.25;
/// A page-out seen to go on so often in a row was under way during all of one look.
inline constexpr std::uint32_t kLooksThatTell = 3;
/// Less than this, in MiB, says nothing of a rate.
inline constexpr double kLeastPageOut = 16;

class PauseCosts {
 public:
  /// A job that was moved began its next run so long after its last run's end. A time that is not > 0 is ignored.
  void restart_took(Seconds time);
  /// Looks at the reports of nodes with suspended jobs whose memory is on its way out; at most once per
  /// kReportInterval. O(jobs + tasks of suspended jobs x jobs of their nodes).
  void watch(JobTable& jobs, const Nodes& nodes, const NodeAgents& agents, Seconds now);

  Seconds restart(const Config& config) const { return config.restart_cost.value_or(restart_); }
  /// MiB/s of one node.
  double swap_rate(const Config& config) const { return config.swap_rate.value_or(swap_rate_); }

  /// Sets pause_cost and move_cost of all jobs. PauseRulebook::apply() goes before. O(jobs + tasks).
  void apply(JobTable& jobs, const Config& config, Seconds now) const;

 private:
  void page_out_ended(Job& job);

  double swap_rate_ = kSwapRateAtFirst;
  Seconds restart_ = kRestartAtFirst;
  bool swap_rate_measured_ = false;
  bool restart_measured_ = false;
  Seconds watched_at_ = -1;
};

/// Two significant digits: costs that creep by the second would only make records long.
Seconds rounded_cost(Seconds cost);

}  // namespace dfrs::shim
