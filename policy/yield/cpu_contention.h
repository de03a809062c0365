// SPDX-License-Identifier: GPL-2.0-or-later
// A mapping as yields see it: which jobs contend for the CPU of which overloaded nodes. Nodes whose load is within
// their capacity limit no job and do not appear.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/core/cluster_state.h"

namespace dfrs {

class CpuContention {
 public:
  struct Node {
    double capacity = 0;
    double load = 0;                     ///< sum of CPU needs of its users
    std::uint32_t first = 0, count = 0;  ///< users(): entries of this node
  };
  struct User {
    std::uint32_t job = 0;  ///< index into jobs()
    double need = 0;        ///< CPU need of all the job's tasks on the node
  };
  struct Job {
    JobSlot slot = kNoSlot;
    std::uint32_t first = 0, count = 0;  ///< places(): entries of this job
  };
  struct Place {
    std::uint32_t node = 0;  ///< index into nodes()
    double need = 0;
  };

  /// O(nodes + tasks of running jobs), no allocation once warm.
  void build(const ClusterState& state, const ClusterView& view);

  /// The same of a part of the mapping that shares no overloaded node with the rest: `nodes`, ascending, are all the
  /// overloaded ones of `jobs`, which are placed and in submission order. max_load() is the part's.
  /// O(nodes + tasks of the jobs), both the part's.
  void build(const ClusterState& state, const ClusterView& view, std::span<const NodeIndex> nodes,
             std::span<const JobSlot> jobs);

  /// After build() of a part that does share overloaded nodes with the rest: so much of a node's capacity, given by its
  /// index into nodes(), is left by the jobs that are not in jobs(). max_load() is not brought up to date. O(users).
  void limit_capacity(std::uint32_t node, double capacity);

  std::span<const Node> nodes() const { return nodes_; }
  std::span<const Job> jobs() const { return jobs_; }            ///< those with a task on an overloaded node
  std::span<const JobSlot> running() const { return running_; }  ///< all of them, in submission order
  std::span<const User> users(const Node& n) const { return {users_.data() + n.first, n.count}; }
  std::span<const Place> places(const Job& j) const { return {places_.data() + j.first, j.count}; }
  /// Largest load relative to its capacity over all nodes, at least 1: max(1, Lambda) of RR-7659, section 4.6.
  double max_load() const { return max_load_; }

 private:
  void begin(const ClusterState& state);
  void add_node(const ClusterState& state, NodeIndex n);
  void add_job(const ClusterState& state, const ClusterView& view, JobSlot slot);
  void finish();

  std::vector<Node> nodes_;
  std::vector<User> users_;
  std::vector<Job> jobs_;
  std::vector<Place> places_;
  std::vector<JobSlot> running_;
  std::vector<NodeIndex> members_;         // of nodes_
  std::vector<std::uint32_t> node_index_;  // by NodeIndex: index in nodes_, or none
  double max_load_ = 1;
};

/// Brings sums that rounding or a solver's tolerance left above a node's capacity back to it, by scaling down the
/// yields of the node's jobs. `yields` by index into CpuContention::jobs().
void repair_yields(const CpuContention& contention, std::span<double> yields);

}  // namespace dfrs
