// SPDX-License-Identifier: GPL-2.0-or-later
// Updates nodes and jobs from a snapshot and reports what has changed: which jobs have come and gone, and where Slurm's
// state contradicts a decision. job_observation.h deals with a single job.
#pragma once

#include <vector>

#include "shim/conf/config.h"
#include "shim/controller/changes.h"
#include "shim/controller/job_table.h"
#include "shim/controller/log.h"
#include "shim/controller/nodes.h"
#include "shim/controller/saved_state.h"

namespace dfrs::shim {

class Observer {
 public:
  /// `config` and `log` must outlive the observer.
  Observer(const Config& config, const Log& log) : config_(&config), log_(&log) {}

  /// `saved`: the state file's jobs that no snapshot has shown yet. O(nodes + jobs + tasks).
  Changes observe(const dfrs_snapshot& snapshot, SavedState& saved, Totals& totals, JobTable& jobs, Nodes& nodes);

 private:
  void observe_nodes(const dfrs_snapshot& snapshot, JobTable& jobs, Nodes& nodes, Changes& changes);
  void observe_jobs(const dfrs_snapshot& snapshot, SavedState& saved, Totals& totals, JobTable& jobs, Changes& changes);
  void settle_nodes(const JobTable& jobs, Nodes& nodes, Changes& changes);

  const Config* config_;
  const Log* log_;
  std::uint64_t snapshots_ = 0;
  std::vector<NodeIndex> placement_;      // scratch, of one job
  std::vector<std::uint64_t> user_held_;  // MiB by node, of jobs that scontrol has suspended
};

}  // namespace dfrs::shim
