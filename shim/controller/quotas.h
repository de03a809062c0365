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

/// The least quota of a job on a node, in CPUs, so that it can react to signals.
inline constexpr double kLeastQuota = 0.01;

class Quotas {
 public:
  /// Computes the desired state of all nodes with the jobs `arriving` in this step. Jobs that are leaving a node get
  /// what the others leave over; but a run with a checkpoint to write keeps its quota, and raises of the others wait
  /// until it is gone. O(nodes + tasks).
  void build(const JobTable& jobs, const Nodes& nodes, const Config& config, std::span<const Job* const> arriving);
  /// Passes on what build() has changed since the last send(), or everything after forget(). O(nodes + jobs on them).
  void send(NodeAgents& agents);
  /// The next send() after a build() passes on everything: the agents or the order of nodes have changed.
  void forget();

  /// What the last build() computed for a node, ascending by job; empty if the node does not exist.
  std::span<const JobQuota> of(NodeIndex node) const;
  /// Whether the last send() gave the job at least `cpus` CPUs on the node, and did not pause it.
  bool handed_over(NodeIndex node, std::uint32_t job, double cpus) const;
  /// The CPUs that the last send() gave the job on the node; 0: none, or suspended.
  double sent(NodeIndex node, std::uint32_t job) const;
  /// Nodes of the arriving jobs of the last build(), ascending.
  std::span<const std::size_t> arrival_nodes() const { return arrival_nodes_; }

 private:
  struct Entry {
    JobQuota quota;
    bool leaving = false;   ///< leaves the node: the others come first
    bool keeps = false;     ///< leaving, with a checkpoint to write
    double asked = 0;       ///< CPUs that the job asked for here
    bool measured = false;  ///< it was measured to need less
  };
  /// Adds the job to `nodes`, with the flags of `like`.
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
