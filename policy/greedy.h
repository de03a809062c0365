// SPDX-License-Identifier: GPL-2.0-or-later
// Greedy task mapping (RR-7659, section 4.2): each task goes to the least loaded node with room for it.
#pragma once

#include <span>
#include <vector>

#include "policy/cluster_state.h"

namespace dfrs {

class Greedy {
 public:
  /// Nodes for all tasks of the job, ascending, or an empty span where not all of them find room. Of the nodes with
  /// room for a task, the one whose CPU load relative to its capacity would be lowest with the task; the lowest index
  /// on ties. A job that may not move and has run before goes back to its own nodes or nowhere.
  /// The result holds until the next call. O(nodes + tasks log nodes), no allocation once warm.
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

  std::span<const NodeIndex> find_one(const ClusterState& state, const JobView& job);
  std::span<const NodeIndex> former_nodes(const ClusterState& state, const JobView& job);

  std::vector<Candidate> heap_;
  std::vector<NodeIndex> nodes_;
};

}  // namespace dfrs
