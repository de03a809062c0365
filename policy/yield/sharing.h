// SPDX-License-Identifier: GPL-2.0-or-later
// A mapping seen from the yields' side: which jobs compete for the CPU of which overloaded nodes. Nodes whose load is
// within their capacity limit nobody and do not appear.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/cluster_state.h"

namespace dfrs {

class Sharing {
 public:
  struct Node {
    double capacity = 0;
    double load = 0;                     ///< sum of CPU needs
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

  /// After build(): the job of this index into jobs() is on other nodes by now, which count as far as they are in
  /// nodes(). What is given of nodes() and the job is brought up to date; max_load() and running() are not. One move at
  /// a time can be undone. O(tasks of the job + users of nodes that it left or came to).
  void move(const ClusterState& state, const ClusterView& view, std::uint32_t job);
  void move_back();
  std::uint32_t moved() const { return moved_; }                         ///< the job of the last move()
  std::span<const std::uint32_t> moved_on() const { return moved_on_; }  ///< nodes whose users it changed, ascending

  std::span<const Node> nodes() const { return nodes_; }
  std::span<const Job> jobs() const { return jobs_; }            ///< those with a task on an overloaded node
  std::span<const JobSlot> running() const { return running_; }  ///< all of them, in submission order
  std::span<const User> users(const Node& n) const { return {users_.data() + n.first, n.count}; }
  std::span<const Place> places(const Job& j) const { return {places_.data() + j.first, j.count}; }
  /// Whether the node is in nodes().
  bool has(NodeIndex n) const { return node_index_[n] != ~std::uint32_t{0}; }
  /// Largest load relative to its capacity over all nodes, at least 1: max(1, Lambda) of RR-7659, section 4.6.
  double max_load() const { return max_load_; }

 private:
  void begin(const ClusterState& state);
  void add_node(const ClusterState& state, NodeIndex n);
  void add_job(const ClusterState& state, const ClusterView& view, JobSlot slot);
  void finish();
  void add_places(const ClusterState& state, const ClusterView& view, JobSlot slot);
  void replace_user(const ClusterState& state, std::uint32_t node, std::uint32_t job, double need);

  std::vector<Node> nodes_;
  std::vector<User> users_;
  std::vector<Job> jobs_;
  std::vector<Place> places_;
  std::vector<JobSlot> running_;
  std::vector<NodeIndex> members_;         // of nodes_
  std::vector<std::uint32_t> node_index_;  // by NodeIndex: index in nodes_, or none
  double max_load_ = 1;

  // Of the last move: lists are written anew behind all others, the old ones stay where they are.
  std::uint32_t moved_ = 0;
  std::vector<std::uint32_t> moved_on_;
  std::vector<Node> nodes_before_;  // by index into moved_on_
  Job job_before_;
  std::size_t users_before_ = 0, places_before_ = 0;
};

/// Brings sums that rounding or a solver's tolerance left above a node's capacity back to it, by scaling down the
/// yields of the node's jobs. `yields` by index into Sharing::jobs().
void repair_yields(const Sharing& sharing, std::span<double> yields);

}  // namespace dfrs
