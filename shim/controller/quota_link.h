// SPDX-License-Identifier: GPL-2.0-or-later
// The controller's side of the node agents: where they are, what they have taken, what they are to have.
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
  /// `agents` may be null: then there are none, whatever QuotaMode says. `config` and `agents` must outlive the link.
  /// `in_force`: a controller before this one gave the agents quotas.
  QuotaLink(const Config& config, NodeAgents* agents, bool in_force)
      : config_(&config), agents_(agents), in_force_(in_force) {}

  /// The agents that enforce quotas; null: none does.
  NodeAgents* agents() const { return config_->enforce_quotas ? agents_ : nullptr; }
  /// Agents have been given quotas, by this controller or one before it.
  bool in_force() const { return in_force_; }
  const Quotas& quotas() const { return quotas_; }

  /// The next connect() tells the agents everything again.
  void disconnect() { connected_ = false; }
  /// Keeps the agents' addresses up to date. True if agents have been told to enforce quotas. O(nodes) on a change.
  bool connect(const Nodes& nodes, const Changes& changes);
  /// Raises of yields count from when the agents have taken them. Returns when to look again; kNever: none is open.
  Seconds confirm_raises(JobTable& jobs, Seconds now);
  /// What the agents are to have with the jobs `arriving` in this step. O(nodes + tasks).
  void build(const JobTable& jobs, const Nodes& nodes, std::span<const Job* const> arriving);
  /// Hands the agents what build() has changed.
  void send();
  /// Waits for the nodes of arriving jobs, `wait_ms` at most. True if their agents have answered.
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
