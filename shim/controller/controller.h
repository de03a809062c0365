// SPDX-License-Identifier: GPL-2.0-or-later
// The controller: the live host of the policy engine. Everything that it needs is passed in: abi.cc makes
// one for slurmctld, tests make their own.
//
// A step, in stages:
//   observe       observer.h       the snapshot updates the records of nodes and jobs; what has changed is noted
//   quotas in     quota_link.h     the agents' addresses; yields that the agents have applied begin to count
//   checkpoints   checkpoints.h    attempts under way; after `decide`, their beginning and end
//   inputs        policy_inputs.h  pause rules, costs, weights and CPU needs for the policy
//   decide        engine_driver.h  the engine's decisions become the jobs' desired states
//   reconcile     reconciler.h     operations that lead from Slurm's state to the desired state
//   quotas out    quota_link.h     the agents' new desired states; deliver() sends them
//   save          state_keeper.h   what must survive slurmctld
//
// Layers of this folder; a file includes files of its own and lower layers only (tests/includes.py reads this list):
//   5  entrances: abi, host
//   4  controller and its inspection: controller, inspection, explanation, status_report, repack, situation,
//      pause_reasons, story_names
//   3  stages: observer, quota_link, checkpoints, policy_inputs, engine_driver, reconciler, results, state_keeper,
//      cluster_history
//   2  parts of stages: job_observation, view_builder, lifecycle, offers, pause_rules, pause_costs, checkpoint_orders,
//      cpu_needs, weights, quotas, usage, state_writer, state_file, last_good_config
//   1  records: job, job_attempts, job_checkpoint, job_facts, job_pausing, job_plan, job_progress, job_table, nodes,
//      memory_ledger, usage_ledger, changes, operations, saved_state, clock
//   0  values and rules without a record: timing, throttle, backoff, identity, limits, bounds, comment_tag, log,
//      synced_file
//
// Threads: call step(), deliver(), applied() and reconfigure() from one thread at a time. The functions of Inspection
// may be called from any thread; they wait for a step() or applied() that is running.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "shim/admin/status.h"
#include "shim/conf/config.h"
#include "shim/controller.h"
#include "shim/controller/checkpoints.h"
#include "shim/controller/cluster_history.h"
#include "shim/controller/engine_driver.h"
#include "shim/controller/inspection.h"
#include "shim/controller/job_table.h"
#include "shim/controller/log.h"
#include "shim/controller/nodes.h"
#include "shim/controller/observer.h"
#include "shim/controller/operations.h"
#include "shim/controller/policy_inputs.h"
#include "shim/controller/quota_link.h"
#include "shim/controller/reconciler.h"
#include "shim/controller/saved_state.h"
#include "shim/controller/state_keeper.h"
#include "shim/quota/node_agents.h"

namespace dfrs::record {
class Recorder;
}

namespace dfrs::shim {

class StateWriter;
class UsageLedger;

class Controller final : public Inspection {
 public:
  struct Parts {
    std::string cluster;
    NodeAgents* agents = nullptr;          ///< null: none, whatever QuotaMode says
    record::Recorder* recorder = nullptr;  ///< null: no records
    StateWriter* state_writer = nullptr;   ///< null: no state is saved
    UsageLedger* usage = nullptr;          ///< what jobs are given; null: nobody charges for it
    Log log;
  };

  /// `saved`: the content of the state file. Error: the engine's.
  static tl::expected<std::unique_ptr<Controller>, std::string> create(const Config& config, SavedState saved,
                                                                       Parts parts);
  ~Controller() override;

  /// As dfrs_controller_step. False: an error, which is logged.
  bool step(const dfrs_snapshot& snapshot, dfrs_operations& operations);
  /// As dfrs_controller_deliver.
  bool deliver(std::uint32_t wait_ms);
  /// As dfrs_controller_applied.
  bool applied(std::span<const std::size_t> index, std::span<const dfrs_result> results, Seconds now);
  /// Another configuration. A change of algorithm or period takes effect at the next step. Error: the engine's; then
  /// the former configuration stays.
  tl::expected<void, std::string> reconfigure(const Config& config);
  /// Whether dfrs.conf is in force, for status(). Error: why it is not, one line.
  void set_config_in_force(tl::expected<void, std::string> outcome);
  /// Hands the state to the state writer now.
  void save();
  /// Checks the invariants of all jobs (check_job()). For tests. Error: the first one that is violated. O(jobs).
  tl::expected<void, std::string> check() const;

  ControllerStatus status() const override;
  tl::expected<JobExplanation, std::string> explain(std::uint32_t job_id) const override;
  tl::expected<RepackPlan, std::string> repack_dry_run() const override;
  ObservedPast past() const override;

 private:
  Controller(const Config& config, SavedState saved, Parts parts);
  bool run_stages(const dfrs_snapshot& snapshot, dfrs_operations& operations);
  Changes observe(const dfrs_snapshot& snapshot);
  bool decide(Changes& changes, Seconds now);
  /// Notes that this step has failed. False.
  bool fail(const std::string& why);
  Seconds reconcile(Seconds now);
  void publish_usage(Seconds now) const;
  void publish_usage(const Job* job, Seconds now) const;
  Seconds next_wake(Seconds asked, Seconds now) const;
  LiveState live_state() const;

  mutable std::mutex mutex_;
  Config config_;
  Parts parts_;
  Log log_;

  JobTable jobs_;
  Nodes nodes_;
  StateKeeper state_;
  Observer observer_;
  QuotaLink quota_link_;
  Checkpoints checkpoints_;
  PolicyInputs inputs_;
  EngineDriver driver_;
  Reconciler reconciler_;
  ClusterHistory history_;
  OperationList operations_;

  bool discard_plans_ = false;  // the last step failed
  tl::expected<void, std::string> config_in_force_;
  RoundCounters counters_;
};

}  // namespace dfrs::shim
