// SPDX-License-Identifier: GPL-2.0-or-later
// Compares a snapshot with what the jobs say, and says what that means for the policy: who has come, who has left,
// and where what is contradicts what was wished.
#pragma once

#include <string>
#include <vector>

#include "shim/conf/config.h"
#include "shim/controller/job_table.h"
#include "shim/controller/log.h"
#include "shim/controller/nodes.h"
#include "shim/controller/saved_state.h"

namespace dfrs::shim {

/// What the policy must be told.
struct Changes {
  bool resync = false;             ///< what is differs from what the policy believes
  bool suspended_outside = false;  ///< a job suspended by us is not the policy's, but could be
  std::vector<JobSlot> completed;  ///< slots of jobs that have left; already closed
  std::vector<Job*> entering;      ///< not in the engine, and the policy's from now on
  std::vector<Job*> changed;       ///< of another CPU need (needs.h) or weight (weights.h) than the policy knows
};

class Observer {
 public:
  Observer(const Config& config, const Log& log) : config_(&config), log_(&log) {}
  void set_config(const Config& config) { config_ = &config; }

  /// Brings the jobs up to date with the snapshot. `saved`: what the state file knew of jobs not seen yet.
  /// `same_nodes`: node indices mean what they meant before. O(jobs + tasks).
  void observe(const dfrs_snapshot& snapshot, bool same_nodes, SavedState& saved, Totals& totals, JobTable& jobs,
               Changes& changes);

 private:
  void observe_one(const dfrs_snapshot& snapshot, const dfrs_job& seen, bool same_nodes, Job& job, bool restored,
                   Seconds saved_at, Totals& totals, JobTable& jobs, Changes& changes);
  void read_placement(const dfrs_snapshot& snapshot, const dfrs_job& seen);
  bool update_requirements(const dfrs_snapshot& snapshot, const dfrs_job& seen, Job& job);
  void update_facts(const dfrs_snapshot& snapshot, const dfrs_job& seen, Job& job);

  const Config* config_;
  const Log* log_;
  std::uint64_t snapshots_ = 0;
  std::vector<NodeIndex> placement_;  // of the job being looked at
};

/// Takes the job from the policy; its slot is then among changes.completed.
void withdraw_from_policy(Job& job, JobTable& jobs, Changes& changes);

/// Whether the policy may have the job now: what Slurm and its own history say.
bool available_to_policy(const Job& job, Seconds now);

/// When that may change by time alone (begin time, back-off); kNever: not by time.
Seconds available_at(const Job& job);

/// A run has ended with the job back in the queue. Its work is lost unless it checkpoints.
void end_run(Job& job, const Config& config, Seconds now, Totals& totals);

}  // namespace dfrs::shim
