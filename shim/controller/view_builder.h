// SPDX-License-Identifier: GPL-2.0-or-later
// Builds the view from which an engine starts again: Slurm's state, with all decisions under way that can still be
// carried out together.
#pragma once

#include <span>
#include <vector>

#include "policy/core/view.h"
#include "shim/controller/job_table.h"
#include "shim/controller/memory_ledger.h"
#include "shim/controller/nodes.h"

namespace dfrs::shim {

/// What kind of view.
struct ViewOptions {
  bool batch = false;           ///< for a policy that never lets jobs share nodes, and neither pauses nor resumes
  bool confirm_raises = false;  ///< see grant_yield()
  bool discard_plans = false;   ///< decisions that have not been carried out yet are void
};

class ViewBuilder {
 public:
  /// Sets Job::desired of all jobs that the policy may have, opens and closes their slots, and makes node_views(). Adds
  /// jobs whose decision is void and that must be submitted again to `dropped`. O(nodes + jobs log jobs + tasks).
  void rebuild(JobTable& jobs, const Nodes& nodes, const ViewOptions& options, Seconds now, std::vector<Job*>& dropped);

  std::span<const NodeView> node_views() const { return node_views_; }
  /// Whether an exclusive job shares its nodes. They are shown as unusable until it has them alone.
  bool exclusive_job_shares() const { return exclusive_job_shares_; }

 private:
  void take_stock(Job& job, JobTable& jobs, const ViewOptions& options);
  void take_stock_of_running(Job& job, JobTable& jobs, bool discard);
  void take_stock_of_suspended(Job& job, JobTable& jobs, bool batch, bool discard);
  void close_nodes_of_sharing_jobs(JobTable& jobs);
  void place(Job& job, JobTable& jobs, bool batch, std::vector<Job*>& dropped);
  void show_overcommitted_nodes_as_full();
  void share_cpu_by_need(JobTable& jobs, const Nodes& nodes, bool confirm_raises, Seconds now);

  MemoryLedger ledger_;  // of jobs that run, or will, in this view
  std::vector<NodeView> node_views_;
  std::vector<Job*> candidates_;    // decisions under way that may still come true
  std::vector<double> cpu_needed_;  // by node
  bool exclusive_job_shares_ = false;
};

}  // namespace dfrs::shim
