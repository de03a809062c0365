// SPDX-License-Identifier: GPL-2.0-or-later
// From what is to what the policy wishes: the operations whose time has come.
//
//   wish               is             operation
//   paused             running        SUSPEND or REQUEUE, as the rules said when it was decided
//   running on N       in the queue   START on N
//   running on N       suspended on N RESUME
//   running on N       elsewhere      REQUEUE; START when it is back in the queue
//
// Those who leave come first in the list. A start or resume is held back until its memory is free in fact: a requeue
// frees it only when the run has been cleaned up, and until then Slurm starts nothing on its nodes.
#pragma once

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
  /// Appends operations. Returns when to look again because something was held back; kNever: nothing was.
  /// O(nodes + jobs + tasks).
  Seconds reconcile(JobTable& jobs, const Nodes& nodes, Seconds now, OperationList& operations);

  /// Jobs that this step starts or resumes: their quotas must be there first.
  const std::vector<const Job*>& arrivals() const { return arrivals_; }

  /// Why a job that the policy wants to run is not there yet, for people; empty: nothing holds it back. As of the last
  /// reconcile().
  std::string held_back(const Job& job, const Nodes& nodes, Seconds now) const;

 private:
  enum class Hold { none, usable, cleaning, credential, memory };
  Hold start_hold(const Job& job, const Nodes& nodes, Seconds now, Seconds& again) const;
  void leave(JobTable& jobs, OperationList& operations);
  bool start(Job& job, const Nodes& nodes, OperationList& operations);

  MemoryLedger ledger_;                 // in fact, with the operations of this step
  std::vector<std::uint8_t> cleaning_;  // by node: nothing can be started there now
  std::vector<const Job*> arrivals_;
  std::vector<Job*> candidates_;
  std::vector<NodeIndex> stock_nodes_;
};

/// END_TIME for running jobs whose time limit is due at another time than Slurm thinks.
void set_end_times(JobTable& jobs, Seconds now, OperationList& operations);

/// COMMENT where a job's tag is out of date. Returns when the next may be; kNever: none is due.
Seconds set_comments(JobTable& jobs, const Config& config, Seconds now, OperationList& operations);

}  // namespace dfrs::shim
