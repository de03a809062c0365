// SPDX-License-Identifier: GPL-2.0-or-later
// Checkpointed pauses and moves (PauseBy=checkpoint). An attempt is a consistent cut through all nodes of a job:
//
//   freezing   all agents stop the job's processes; before that they may write its memory while it still runs
//   dumping    begins when all are stopped: all agents write the processes, which stay stopped
//   complete   all are written. The reconciler asks for the requeue, which ends the stopped processes
//   resuming   an agent failed, went away or took too long, or the policy changed its mind: all agents let the
//              processes go on and drop what they have written
//
// Only a complete attempt leads to a requeue, and no attempt begins before the last one has been resumed everywhere.
// The memory of the job stays until the requeue. Its virtual clock stands still from the first request to stop.
//
// The next run begins from the images; the agents do that by themselves and report it. Until then the job keeps its
// progress; if it turns out to have started over, its progress counts as lost.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shim/admin/status.h"
#include "shim/conf/config.h"
#include "shim/controller/changes.h"
#include "shim/controller/job_table.h"
#include "shim/controller/log.h"
#include "shim/controller/nodes.h"
#include "shim/controller/pause_costs.h"
#include "shim/controller/saved_state.h"
#include "shim/controller/throttle.h"
#include "shim/controller/timing.h"
#include "shim/quota/node_agents.h"

namespace dfrs::shim {

class Checkpoints {
 public:
  struct Sources {
    const Config& config;
    const Nodes& nodes;
    const NodeAgents* agents;  ///< null: quotas are off, and so are checkpoints
    const Log& log;
    Totals& totals;
  };

  /// Reads what the agents report and moves attempts on. A failed one has the policy start again from Slurm's state.
  /// Call before the pause rules. While no attempt is being made, at most once per kReportInterval.
  /// O(jobs + tasks of marked jobs x jobs of their nodes).
  void watch(const Sources& from, JobTable& jobs, Changes& changes, Seconds now);

  /// Begins the attempts that the policy's decisions ask for and gives up those that they no longer do. Call after the
  /// policy. Returns when the next step is due; kNever: no attempt is being made. O(jobs).
  Seconds settle(const Sources& from, JobTable& jobs, Seconds now);

  /// Whether there was something since the last call that the state file must have.
  bool take_changed() { return std::exchange(changed_, false); }
  /// Images written and read since the last call.
  std::vector<ImageTransfer> take_dumps() { return std::exchange(dumps_, {}); }
  std::vector<ImageTransfer> take_restores() { return std::exchange(restores_, {}); }
  const CheckpointCounters& counters() const { return counters_; }

 private:
  struct Seen;
  class Reports;
  static Seen gather(const Job& job, Reports& reports, const Nodes& nodes, bool known);
  static void note_verdict(Job& job, const Seen& seen);
  void move_on(Job& job, const Seen& seen, const Sources& from, Changes& changes, Seconds now);
  void complete(Job& job, const Seen& seen, const Sources& from);
  void fail(Job& job, const std::string& why, const Sources& from, Changes& changes, Seconds now);
  void end_attempt(Job& job, const Sources& from, Seconds now);
  void confirm_restore(Job& job, const Seen& seen, const Sources& from, Seconds now);
  void restored(Job& job, const Seen& seen, const Image& image, const Sources& from, Seconds now);
  void take_back_loss(Job& job, const Sources& from, Seconds now);
  void begin(Job& job, const Sources& from, Seconds now);
  void give_up(Job& job, const Sources& from, Seconds now);

  CheckpointCounters counters_;
  std::vector<ImageTransfer> dumps_;
  std::vector<ImageTransfer> restores_;
  bool changed_ = false;
  Throttle look_{kReportInterval};
  std::optional<Seconds> began_;  // the first look
};

}  // namespace dfrs::shim
