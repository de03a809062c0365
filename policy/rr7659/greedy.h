// SPDX-License-Identifier: GPL-2.0-or-later
// Greedy task mapping (RR-7659, section 4.2): each task goes to the least loaded node that has room for it.
#pragma once

#include <span>
#include <vector>

#include "policy/core/cluster_state.h"

namespace dfrs {

class Greedy {
 public:
  /// Nodes for all tasks of the job, ascending, or an empty span if not all of them find room. Each task goes to the
  /// node whose CPU load, relative to its capacity, is lowest with the task; ties go to the lowest index. A job that
  /// may not move and has run before gets its former nodes or none. The result is valid until the next call. No
  /// allocation once warm. O(nodes + tasks log nodes); on large clusters, whose nodes are kept sorted by load
  /// (policy/core/nodes_by_load.h), mostly O(tasks sqrt(nodes)).
  std::span<const NodeIndex> find(const ClusterState& state, const JobView& job);

  /// Places the job on the nodes of find(). False, and nothing changed, if it does not fit.
  bool place(ClusterState& state, const ClusterView& view, JobSlot job);

 private:
  struct Candidate {
    double load_after;  ///< relative to the node's capacity, with one more task
    NodeIndex node;
    std::uint32_t room;
  };
  // The standard library's heaps put the largest element first; here that is the lowest load, then the lowest index.
  struct Worse {
    bool operator()(const Candidate& a, const Candidate& b) const {
      return a.load_after != b.load_after ? a.load_after > b.load_after : a.node > b.node;
    }
  };

  // Where the search has come to among the nodes of one CPU capacity.
  struct Front {
    const NodesByLoad::Order* order;
    NodesByLoad::Order::Spot spot;  // the first node of the next load, or the end
  };
  // A candidate, and its position if no task has gone to it yet.
  struct Placed : Candidate {
    const NodesByLoad::Order* order;  // null after its first task
    NodesByLoad::Order::Spot spot;
  };

  enum class Found { yes, no, unknown };

  std::span<const NodeIndex> find_one(const ClusterState& state, const JobView& job);
  std::span<const NodeIndex> former_nodes(const ClusterState& state, const JobView& job);
  Found find_by_load(const ClusterState& state, const JobView& job, std::span<const NodesByLoad::Order> orders);
  bool open(const ClusterState& state, const JobView& job, const NodesByLoad::Order& order,
            NodesByLoad::Order::Spot spot);

  std::vector<Candidate> heap_;
  std::vector<Front> fronts_;
  std::vector<Placed> placed_;  // heap
  std::size_t refused_ = 0;
  std::vector<NodeIndex> nodes_;
};

}  // namespace dfrs
