// SPDX-License-Identifier: GPL-2.0-or-later
// The desired state of each node: which jobs are on it, and the CPUs that each may use there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shim/conf/config.h"
#include "shim/controller/job_table.h"
#include "shim/controller/nodes.h"
#include "shim/quota/node_agents.h"

namespace dfrs::shim {

/// The least that a job gets on a node, in CPUs: it must be able to react to a signal.
inline constexpr double kLeastQuota = 0.01;

class Quotas {
 public:
  /// The state that the nodes should have with the jobs `arriving` in this step. Jobs that are leaving a node keep what
  /// the others leave them there; a run with a checkpoint to write keeps what it had, and the others' raises wait until
  /// it is gone. O(nodes + tasks).
  void build(const JobTable& jobs, const Nodes& nodes, const Config& config, std::span<const Job* const> arriving);
  /// Hands over what build() has changed since the last time, all of it after forget(). O(nodes + jobs on them).
  void send(NodeAgents& agents);
  /// Everything is handed over again at the next send(): other agents, or another order of nodes.
  void forget();

  /// What the last build() made of a node, ascending by job; nothing for a node that does not exist.
  std::span<const JobQuota> of(NodeIndex node) const;
  /// Whether the node's agent was last handed a quota of at least `cpus` CPUs for the job, and not that it is paused.
  bool handed_over(NodeIndex node, std::uint32_t job, double cpus) const;
  /// The CPUs of the last quota handed over for the job there; 0: none, or suspended.
  double sent(NodeIndex node, std::uint32_t job) const;
  /// Nodes of jobs that the last build() had as arriving, ascending.
  std::span<const std::size_t> arrival_nodes() const { return arrival_nodes_; }

 private:
  struct Entry {
    JobQuota quota;
    bool leaving = false;   ///< gives way to the others
    bool keeps = false;     ///< leaving, with a checkpoint to write
    double asked = 0;       ///< CPUs that the job asked for here
    bool measured = false;  ///< it is known to need less
  };
  /// Adds the job to its nodes, with the marks of `like`.
  void place(const Job& job, std::span<const NodeIndex> nodes, double yield, const Entry& like);
  void settle(NodeIndex node, double cpus);
  static void give_spare(std::vector<Entry>& wanted, double left);

  std::vector<std::vector<Entry>> wanted_;  // by node, storage reused
  std::vector<std::vector<JobQuota>> built_;
  std::vector<std::vector<JobQuota>> sent_;
  std::vector<std::uint8_t> must_send_;
  std::vector<std::size_t> arrival_nodes_;
};

}  // namespace dfrs::shim
