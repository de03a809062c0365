// SPDX-License-Identifier: GPL-2.0-or-later
// GreedyP and GreedyPM (RR-7659, section 4.2): forced admission of a new job by pausing, or moving, running ones.
#pragma once

#include <vector>

#include "policy/mcb8/priority.h"
#include "policy/rr7659/greedy.h"

namespace dfrs {

enum class Victims {
  pause,  ///< GreedyP
  move,   ///< GreedyPM: victims that still find room are moved instead
};

class GreedyPreempt {
 public:
  /// Place `job`, pausing running jobs where it does not fit: mark jobs by increasing priority until the new one would
  /// fit, unmark by decreasing priority those it fits without, pause the rest. Victims::move then places the paused
  /// ones again, by decreasing priority. Jobs that may not be paused are never marked. False, and nothing changed, if
  /// it would not fit even then. O(running + marked log running + tasks of the marked + Greedy), and O(nodes) where
  /// these are not kept by load.
  bool admit(ClusterState& state, const ClusterView& view, JobSlot job, const PriorityRule& rule, Victims victims);

 private:
  // Counts over all nodes how many tasks of the new job would fit, as victims come and go.
  class RoomCount {
   public:
    void reset(const ClusterState& state, const JobView& job);
    void update(const ClusterState& state, const JobView& job, std::span<const NodeIndex> nodes);
    bool enough(const JobView& job) const { return total_ >= job.tasks; }

   private:
    void count(const ClusterState& state, const JobView& job, NodeIndex n);

    std::vector<std::uint32_t> room_;   // by node
    std::vector<NodeIndex> with_room_;  // all nodes with room are among these
    std::uint64_t total_ = 0;
  };

  Greedy greedy_;
  RoomCount room_;
  std::vector<RankedJob> running_;                 // heap, the lowest priority first
  std::vector<RankedJob> marked_;                  // by increasing priority
  std::vector<std::vector<NodeIndex>> old_nodes_;  // of the marked jobs, storage reused
};

}  // namespace dfrs
