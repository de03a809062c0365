// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the operations that lead from Slurm's state to the desired state and that can be done now.
//
//   desired            Slurm's state   operation
//   paused             running         SUSPEND or REQUEUE, as decided by the pause rules; a REQUEUE of a job that is
//                                      checkpointed waits for its images (checkpoints.h)
//   running on N       in the queue    START on N
//   running on N       suspended on N  RESUME
//   running on N       elsewhere       REQUEUE; START when it is back in the queue
//
// Departures come first in the list. An arrival (START or RESUME) waits until its memory is really free: a requeue
// frees it only once the run has been cleaned up, and until then Slurm starts nothing on its nodes. END_TIME and
// COMMENT follow where Slurm's end time or a job's tag is out of date.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shim/conf/config.h"
#include "shim/controller/job_table.h"
#include "shim/controller/memory_ledger.h"
#include "shim/controller/nodes.h"
#include "shim/controller/operations.h"

namespace dfrs::shim {

class Reconciler {
 public:
  /// Appends operations. Returns when the next call is due (something was held back, or a tag will be out of date);
  /// kNever: no need. O(nodes + jobs + tasks).
  Seconds reconcile(JobTable& jobs, const Nodes& nodes, const Config& config, Seconds now, OperationList& operations);

  /// Jobs that this step starts or resumes; their quotas must be in force first.
  const std::vector<const Job*>& arrivals() const { return arrivals_; }

  /// Why the last reconcile() held back a job that the policy wants to run, for people; nothing if it did not.
  std::optional<std::string> held_back(const Job& job, const Nodes& nodes, Seconds now) const;

 private:
  enum class Hold { none, usable, cleaning, credential, memory };
  void take_stock(JobTable& jobs, const Nodes& nodes);
  void add_departures(OperationList& operations);
  void add_suspend(Job& job, OperationList& operations);
  void add_requeue(Job& job, OperationList& operations);
  bool is_to_be_requeued(Job& job) const;
  void add_arrivals(const Nodes& nodes, Seconds now, OperationList& operations);
  void resume(const Job& job, Seconds now, OperationList& operations);
  bool start(const Job& job, const Nodes& nodes, OperationList& operations);
  bool start_where_slurm_chooses(const Job& job, const Nodes& nodes, OperationList& operations);
  Seconds set_comments(JobTable& jobs, const Config& config, Seconds now, OperationList& operations);
  Hold start_hold(const Job& job, const Nodes& nodes, Seconds now) const;

  MemoryLedger ledger_;                 // Slurm's state with the operations of this step
  std::vector<std::uint8_t> cleaning_;  // by node: nothing can start there now
  std::vector<Job*> departing_;         // that may have to leave, by number
  std::vector<Job*> candidates_;        // for arrivals, in their order
  bool cleaned_up_ = true;              // no run that has ended is still being cleaned up
  std::vector<const Job*> arrivals_;
  std::vector<NodeIndex> stock_nodes_;
  Seconds times_told_ = 0;  // when tags were last changed only because their virtual time was old
};

}  // namespace dfrs::shim
