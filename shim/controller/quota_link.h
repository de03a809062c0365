// SPDX-License-Identifier: GPL-2.0-or-later
// The controller's link to the node agents: their addresses, the quotas for them, and what they have applied.
#pragma once

#include <cstdint>

#include "shim/conf/config.h"
#include "shim/controller/changes.h"
#include "shim/controller/job_table.h"
#include "shim/controller/nodes.h"
#include "shim/controller/quotas.h"
#include "shim/quota/node_agents.h"

namespace dfrs::shim {

class QuotaLink {
 public:
  /// `agents` null: there are none, whatever QuotaMode says. `config` and `agents` must outlive the link.
  /// `in_force`: an earlier controller has sent quotas to the agents.
  QuotaLink(const Config& config, NodeAgents* agents, bool in_force)
      : config_(&config), agents_(agents), in_force_(in_force) {}

  /// The agents, if quotas are to be enforced; else null.
  NodeAgents* agents() const { return config_->enforce_quotas ? agents_ : nullptr; }
  /// Whether quotas were sent to the agents, by this controller or an earlier one.
  bool in_force() const { return in_force_; }
  const Quotas& quotas() const { return quotas_; }

  /// The next connect() sends the agents everything again.
  void disconnect() { connected_ = false; }
  /// Updates the agents' addresses. True if agents that enforce quotas were set. O(nodes) on a change.
  bool connect(const Nodes& nodes, const Changes& changes);
  /// Has the quotas of jobs that have just been launched sent at once to agents that did not answer before.
  void retry_launched(const Changes& changes) const;
  /// Lets raised yields count once the agents have applied them. Returns when to check again; kNever: none is open.
  Seconds confirm_raises(JobTable& jobs, Seconds now);
  /// Computes the quotas with the jobs `arriving` in this step. O(nodes + tasks).
  void build(const JobTable& jobs, const Nodes& nodes, std::span<const Job* const> arriving);
  /// Passes to the agents what build() has changed.
  void send();
  /// Waits for the nodes of arriving jobs, `wait_ms` at most. True if they have applied their quotas.
  bool wait(std::uint32_t wait_ms) const;

 private:
  enum class Raise { in_force, pending, unreachable };
  void set_agents(const Nodes& nodes);
  Raise state_of_raise(const Job& job) const;

  const Config* config_;
  NodeAgents* agents_;
  Quotas quotas_;
  bool in_force_;
  bool connected_ = false;
};

}  // namespace dfrs::shim
