// SPDX-License-Identifier: GPL-2.0-or-later
// What a job finds around it once the decisions of an instant are carried out.
#pragma once

#include "record/story/story.h"

namespace dfrs::record {

/// Of one instant. Both must outlive it. The first question takes O(jobs + nodes + tasks) more.
class Surroundings {
 public:
  Surroundings(const ClusterView& view, const Decisions& decisions) : view_(view), decisions_(decisions) {}

  /// The room for a job that waits. O(nodes).
  FreeRoom room_for(const JobView& job);
  /// The most loaded of the job's nodes, relative to capacity; the first of several. O(jobs + tasks of the job).
  Crowd crowd_of(JobSlot job);

 private:
  struct NodeUse {
    double load = 0;
    RigidVector taken{};
    std::uint32_t tasks = 0;
    bool exclusive = false;
  };
  void gather();
  std::uint64_t tasks_that_fit(NodeIndex n, const JobView& job, FreeRoom& room) const;

  const ClusterView& view_;
  const Decisions& decisions_;
  bool gathered_ = false;
  std::vector<std::span<const NodeIndex>> nodes_;  // of each job, once the decisions are carried out
  std::vector<NodeUse> use_;                       // of each node
};

}  // namespace dfrs::record
