// SPDX-License-Identifier: GPL-2.0-or-later
// GreedyP and GreedyPM (RR-7659, section 4.2): admit a new job by force, by pausing or moving running ones.
#pragma once

#include <vector>

#include "policy/mcb8/priority.h"
#include "policy/rr7659/greedy.h"

namespace dfrs {

enum class Victims {
  pause,  ///< GreedyP
  move,   ///< GreedyPM: victims that find room elsewhere are moved instead
};

class GreedyPause {
 public:
  /// `places_first`: the new job is placed as if all marked jobs were gone, and then those stay that still fit. The
  /// report does not say which comes first.
  explicit GreedyPause(bool places_first = false) : places_first_(places_first) {}

  /// Places `job`, and pauses running jobs if it does not fit: marks jobs by increasing priority until it would fit,
  /// unmarks by decreasing priority those that need not go, and pauses the rest. Victims::move then tries to place
  /// these elsewhere, by decreasing priority. Jobs that may not be paused are never marked. False, and nothing changed,
  /// if the job does not fit even so. O(running + marked log running + tasks of the marked + Greedy), plus O(nodes) if
  /// the nodes are not kept sorted by load.
  bool admit(ClusterState& state, const ClusterView& view, JobSlot job, const PriorityRule& rule, Victims victims);

 private:
  // Counts how many tasks of the new job fit on all nodes together, while victims are marked and unmarked.
  class RoomCount {
   public:
    void reset(const ClusterState& state, const JobView& job);
    void update(const ClusterState& state, const JobView& job, std::span<const NodeIndex> nodes);
    bool enough(const JobView& job) const { return total_ >= job.tasks; }

   private:
    void count(const ClusterState& state, const JobView& job, NodeIndex n);

    std::vector<std::uint32_t> room_;   // by node
    std::vector<NodeIndex> with_room_;  // includes all nodes with room
    std::uint64_t total_ = 0;
  };

  void unmark(ClusterState& state, const ClusterView& view, const JobView& incoming, bool fits);
  void put_back(ClusterState& state, const ClusterView& view);
  void explain_victims(const ClusterState& state, JobSlot job) const;

  bool places_first_;
  Greedy greedy_;
  RoomCount room_;
  std::vector<RankedJob> running_;                 // heap, the lowest priority first
  std::vector<RankedJob> marked_;                  // by increasing priority
  std::vector<std::vector<NodeIndex>> old_nodes_;  // of the marked jobs, storage reused
};

}  // namespace dfrs
