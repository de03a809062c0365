// SPDX-License-Identifier: GPL-2.0-or-later
// The controller's answers for dfrsctl, made from its live state. The controller holds its lock while they are made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "policy/core/engine.h"
#include "shim/admin/status.h"
#include "shim/conf/config.h"
#include "shim/controller/checkpoints.h"
#include "shim/controller/engine_driver.h"
#include "shim/controller/job_table.h"
#include "shim/controller/nodes.h"
#include "shim/controller/pause_costs.h"
#include "shim/controller/reconciler.h"
#include "shim/controller/saved_state.h"
#include "shim/quota/node_agents.h"

namespace dfrs::shim {

/// Counts of steps since the controller was created.
struct RoundCounters {
  Seconds now = 0;      ///< of the last step; 0: none yet
  Seconds wake_at = 0;  ///< when the next one is due
  std::uint64_t steps = 0;
  std::uint64_t errors = 0;
  std::optional<std::string> last_error;
  double last_step_ms = 0;
  double max_step_ms = 0;
};

/// The state from which the answers are made.
struct LiveState {
  const Config& config;
  const tl::expected<void, std::string>& config_in_force;  ///< error: why dfrs.conf is not
  const std::string& cluster;
  const RoundCounters& counters;
  const Totals& totals;
  const JobTable& jobs;
  const Nodes& nodes;
  const NodeAgents* agents;  ///< null: no quotas are enforced
  const PauseCosts& pause_costs;
  const EngineDriver& driver;
  const Reconciler& reconciler;
  const CheckpointCounters& checkpoints;
};

/// O(jobs + nodes + tasks). In status_report.cc.
ControllerStatus report_status(const LiveState& live);

/// Why the job waits, or where it is and why. Error: no such job here. In explanation.cc.
tl::expected<JobExplanation, std::string> explain_job(const LiveState& live, std::uint32_t job_id);

/// A copy of all that a repack reads, so that it runs without the lock. In repack.cc.
struct RepackInput {
  RepackInput() = default;
  RepackInput(RepackInput&&) = default;  // a copy would point into the lists of the original
  RepackInput& operator=(RepackInput&&) = default;

  struct Lists {
    std::vector<NodeIndex> nodes;
    NodeSet eligible;
  };
  Seconds now = 0;
  std::size_t rigid_dims = 1;
  Algorithm algorithm;
  EngineOptions options;
  std::vector<JobView> jobs;
  std::vector<Lists> lists;  // what `jobs` points to
  std::vector<NodeView> nodes;
  std::vector<std::string> node_names;
};

/// Error: there was no snapshot yet, or the algorithm never repacks.
tl::expected<RepackInput, std::string> copy_for_repack(const LiveState& live);
/// What a repack of all jobs would do now. Error: the engine's.
tl::expected<RepackPlan, std::string> plan_repack(RepackInput input);

}  // namespace dfrs::shim
