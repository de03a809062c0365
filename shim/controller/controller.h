// SPDX-License-Identifier: GPL-2.0-or-later
// The controller: the live host of the policy engine, as one object with everything it needs handed in. abi.cc makes
// one for slurmctld, tests make their own.
//
// Threads: step(), deliver(), applied() and reconfigure() come from one thread at a time; what Inspection offers may be
// called from any. A lock is held for the length of step() and applied(), so an inspection may wait that long.
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
#include "shim/controller/books.h"
#include "shim/controller/engine_driver.h"
#include "shim/controller/log.h"
#include "shim/controller/needs.h"
#include "shim/controller/nodes.h"
#include "shim/controller/observer.h"
#include "shim/controller/operations.h"
#include "shim/controller/pause_costs.h"
#include "shim/controller/pause_rules.h"
#include "shim/controller/quotas.h"
#include "shim/controller/reconciler.h"
#include "shim/controller/saved_state.h"
#include "shim/quota/node_agents.h"

namespace dfrs::record {
class Recorder;
}

namespace dfrs::shim {

class StateWriter;

class Controller final : public Inspection {
 public:
  struct Parts {
    std::string cluster;
    NodeAgents* agents = nullptr;          ///< null: there are none, whatever QuotaMode says
    record::Recorder* recorder = nullptr;  ///< null: no records
    StateWriter* state_writer = nullptr;   ///< null: nothing is kept
    Log log;
  };

  /// `saved`: what the state file said. Error: the engine's.
  static tl::expected<std::unique_ptr<Controller>, std::string> create(const Config& config, SavedState saved,
                                                                       Parts parts);
  ~Controller() override;

  /// As dfrs_controller_step. False: an error, logged.
  bool step(const dfrs_snapshot& snapshot, dfrs_operations& operations);
  /// As dfrs_controller_deliver.
  bool deliver(std::uint32_t wait_ms);
  /// As dfrs_controller_applied.
  void applied(std::span<const std::size_t> index, std::span<const dfrs_result> results, Seconds now);
  /// Another configuration. A change of algorithm or period takes effect at the next step. Error: the engine's; then
  /// the former configuration stays.
  tl::expected<void, std::string> reconfigure(const Config& config);
  /// Everything that must not be forgotten, handed to the state writer now.
  void save();

  ControllerStatus status() const override;
  tl::expected<std::vector<std::string>, std::string> explain(std::uint32_t job_id) const override;
  tl::expected<RepackPlan, std::string> repack_dry_run() const override;

 private:
  Controller(const Config& config, SavedState saved, Parts parts);
  bool checked_step(const dfrs_snapshot& snapshot, dfrs_operations& operations);
  void take_nodes(const dfrs_snapshot& snapshot, bool& other_nodes);
  void set_agents();
  Seconds confirm_raises(Seconds now);
  Seconds next_wake(Seconds now, Seconds reconcile_again) const;
  void save_if_due(Seconds now);
  NodeAgents* agents() const { return config_.enforce_quotas ? parts_.agents : nullptr; }

  mutable std::mutex mutex_;
  Config config_;
  Parts parts_;
  Log log_;

  SavedState saved_;  // jobs that have not been seen again yet
  Totals totals_;
  bool quotas_in_force_;  // agents were given some, in this controller's time or before
  Books books_;
  Nodes nodes_;
  Observer observer_;
  PauseRulebook pause_rules_;
  PauseCosts pause_costs_;
  Needs needs_;
  EngineDriver driver_;
  Reconciler reconciler_;
  Quotas quotas_;
  OperationList operations_;
  std::vector<std::uint64_t> held_;
  bool drop_wishes_ = false;  // the last step failed
  bool agents_set_ = false;

  bool state_dirty_ = true;
  bool state_urgent_ = false;
  Seconds state_saved_ = 0;

  Seconds now_ = 0;
  Seconds wake_at_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t errors_ = 0;
  std::string last_error_;
  double last_step_ms_ = 0;
  double max_step_ms_ = 0;
};

}  // namespace dfrs::shim
