// SPDX-License-Identifier: GPL-2.0-or-later
// A reservation of memory, as EASY makes one of nodes: where nothing may be paused, the most urgent job that finds no
// memory gets the memory that will be free first by users' time limits. Others start only if they end in time by
// theirs, or use memory that the job does not need. CPU is shared, so only memory (and other rigid resources) is
// reserved.
#pragma once

#include <span>
#include <vector>

#include "policy/core/cluster_state.h"
#include "policy/core/node_runs.h"
#include "policy/triage/urgency.h"

namespace dfrs::triage {

class Reservation {
 public:
  /// Forgets the reservation.
  void clear() { shadow_ = kNever; }
  bool made() const { return shadow_ < kNever; }
  /// The instant at which the job can start at the latest if all jobs keep their limits.
  Seconds shadow() const { return shadow_; }
  /// Whose it is, if made().
  JobSlot job() const { return job_; }

  /// Reserves memory for a job that may never be paused and does not fit. Jobs that give way without loss hold none;
  /// the others hold theirs until their limits at their present yields. No reservation if the job could not even start
  /// after all others. O(jobs log jobs + nodes + tasks).
  void make(const ClusterView& view, const ClusterState& state, std::span<const Seconds> limit, JobSlot job);

  /// Whether the job may use no memory that is reserved: it may never be paused, and does not end in time.
  bool limits(const JobView& job, Seconds limit, Seconds now) const;
  /// Tasks of such a job that the node has memory for beside what is reserved.
  std::uint32_t room_beside(const JobView& job, NodeIndex n) const;
  /// Such a job has been placed.
  void placed(const JobView& job, std::span<const NodeIndex> nodes) { take(job, nodes, 1); }

 private:
  struct Holder {
    Seconds end = 0;
    JobSlot job = kNoSlot;
  };
  std::uint32_t room(const ClusterState& state, const JobView& job, NodeIndex n) const;
  void take(const JobView& job, std::span<const NodeIndex> nodes, int tasks);

  Seconds shadow_ = kNever;
  JobSlot job_ = kNoSlot;
  std::size_t dims_ = 1;
  std::vector<RigidVector> later_;  // by node: free at the shadow time, without what is reserved
  std::vector<Holder> holders_;
  std::vector<std::uint8_t> released_;  // by node
};

}  // namespace dfrs::triage
