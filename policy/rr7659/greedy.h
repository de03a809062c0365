// SPDX-License-Identifier: GPL-2.0-or-later
// Greedy task mapping (RR-7659, section 4.2): each task goes to the least loaded node with room for it.
#pragma once

#include <span>
#include <vector>

#include "policy/core/cluster_state.h"

namespace dfrs {

class Greedy {
 public:
  /// Nodes for all tasks of the job, ascending, or an empty span where not all of them find room. Of the nodes with
  /// room for a task, the one whose CPU load relative to its capacity would be lowest with the task; the lowest index
  /// on ties. A job that may not move and has run before goes back to its own nodes or nowhere.
  /// The result holds until the next call. No allocation once warm. O(nodes + tasks log nodes); on large clusters
  /// mostly O(tasks sqrt nodes) with the nodes kept by load (policy/core/nodes_by_load.h).
  std::span<const NodeIndex> find(const ClusterState& state, const JobView& job);

  /// find() and place. False if the job did not fit; nothing changed then.
  bool place(ClusterState& state, const ClusterView& view, JobSlot job);

 private:
  struct Candidate {
    double load_after;  ///< relative to the node's capacity, with one more task
    NodeIndex node;
    std::uint32_t room;
  };
  // Heap order of the standard library puts the "largest" first; here that is the lowest load, then index.
  struct Worse {
    bool operator()(const Candidate& a, const Candidate& b) const {
      return a.load_after != b.load_after ? a.load_after > b.load_after : a.node > b.node;
    }
  };

  // Nodes of one CPU capacity by load, from which candidates are taken.
  struct Front {
    const NodesByLoad::Order* order;
    NodesByLoad::Order::Spot spot;  // first of the next load, or the end
  };
  // A candidate with its place, if it is the first one of its load that has not been taken.
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
