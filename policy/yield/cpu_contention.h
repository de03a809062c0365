// SPDX-License-Identifier: GPL-2.0-or-later
// The part of a mapping that matters to yields: which jobs contend for the CPU of which overloaded nodes. Nodes whose
// load is within their capacity limit no job and do not appear.
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
    std::uint32_t first = 0, count = 0;  ///< where users() finds the node's entries
  };
  struct User {
    std::uint32_t job = 0;  ///< index into jobs()
    double need = 0;        ///< CPU need of all the job's tasks on the node
  };
  struct Job {
    JobSlot slot = kNoSlot;
    std::uint32_t first = 0, count = 0;  ///< where places() finds the job's entries
  };
  struct Place {
    std::uint32_t node = 0;  ///< index into nodes()
    double need = 0;
  };

  /// Builds it for the whole mapping. O(nodes + tasks of running jobs); no allocation once warm.
  void build(const ClusterState& state, const ClusterView& view);

  /// Builds it for a part of the mapping that shares no overloaded node with the rest. `nodes`, ascending, are all
  /// overloaded nodes of `jobs`, which are placed and in submission order. max_load() is that of the part.
  /// O(nodes + tasks of the part).
  void build(const ClusterState& state, const ClusterView& view, std::span<const NodeIndex> nodes,
             std::span<const JobSlot> jobs);

  /// After build() for a part that does share overloaded nodes with the rest: sets the capacity that jobs outside the
  /// part leave on a node, given by its index into nodes(). Does not update max_load(). O(users).
  void limit_capacity(std::uint32_t node, double capacity);

  std::span<const Node> nodes() const { return nodes_; }
  std::span<const Job> jobs() const { return jobs_; }            ///< with a task on an overloaded node
  std::span<const JobSlot> running() const { return running_; }  ///< all placed jobs, in submission order
  std::span<const User> users(const Node& n) const { return {users_.data() + n.first, n.count}; }
  std::span<const Place> places(const Job& j) const { return {places_.data() + j.first, j.count}; }
  /// The largest load of a node relative to its capacity, at least 1: max(1, Lambda) in RR-7659, section 4.6.
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
  std::vector<std::uint32_t> node_index_;  // by NodeIndex: its index in nodes_, or none
  double max_load_ = 1;
};

/// The CPU that the jobs on the node use at these yields, by index into CpuContention::jobs(). O(users).
inline double cpu_used(const CpuContention& contention, const CpuContention::Node& node,
                       std::span<const double> yields) {
  double used = 0;
  for (const CpuContention::User& user : contention.users(node)) used += user.need * yields[user.job];
  return used;
}

/// Corrects nodes whose use exceeds their capacity by rounding: scales down the yields of their
/// jobs. `yields` is by index into CpuContention::jobs(). O(places).
void repair_yields(const CpuContention& contention, std::span<double> yields);

}  // namespace dfrs
