// SPDX-License-Identifier: GPL-2.0-or-later
// Compares one job of a snapshot with its record: which run it is in, what became of the last one, and whether that
// agrees with the policy's decision.
#pragma once

#include <vector>

#include "shim/conf/config.h"
#include "shim/controller/changes.h"
#include "shim/controller/job_table.h"
#include "shim/controller/log.h"
#include "shim/controller/saved_state.h"

namespace dfrs::shim {

/// What the observations of one snapshot share.
struct SnapshotContext {
  const dfrs_snapshot& snapshot;
  Seconds state_saved_at;  ///< when the state file was written from which records were restored
  const Config& config;
  const Log& log;
  Totals& totals;
  JobTable& jobs;
  Changes& changes;
  std::vector<NodeIndex>& placement;  ///< scratch space for the placement of the job
};

class JobObservation {
 public:
  /// `restored`: the record was just made from the state file.
  JobObservation(const SnapshotContext& context, const dfrs_job& seen, Job& job, bool restored);

  /// Updates the record and adds to the context's changes what the policy must know. O(tasks).
  void enter();

 private:
  // The steps of enter(), in order.
  void note_restored_requests();
  void read_marks();
  void note_end_of_run();
  void note_clean_up();
  void read_placement();
  void read_requirements();
  void read_facts();
  void note_release();
  void enter_phase();

  void enter_ending();
  void enter_queued();
  void enter_running();
  void enter_suspended();
  void begin_run();
  void stop_clock_of_suspended();
  void note_start();
  void note_steps();
  void compare_running_with_plan();
  void read_clock_from_tag();
  void withdraw();

  const SnapshotContext& context_;
  const dfrs_job& seen_;
  Job& job_;
  const bool restored_;
  const Seconds now_;

  // The record before the snapshot changes it.
  const bool was_running_;
  const bool was_suspended_;
  const bool held_nodes_;
  const bool was_requeuing_;
  const bool was_configuring_;
  const bool new_run_;

  // What the snapshot shows.
  const bool indices_kept_;       // node indices of the record are still valid
  const bool waits_;              // in the queue, startable or being cleaned up
  bool run_ended_ = false;        // the job is back in the queue, or in another run
  bool ended_by_others_ = false;  // and not by a requeue of ours
  bool other_requirements_ = false;
};

}  // namespace dfrs::shim
