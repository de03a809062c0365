// SPDX-License-Identifier: GPL-2.0-or-later
// A reservation of memory, as EASY makes one of nodes: where nothing may be paused, the most urgent job that finds no
// memory gets the memory that will be free first by users' time limits. Others start only if they end in time by
// theirs, or use memory that the job does not need. CPU is shared, so only memory (and other rigid resources) is
// reserved.
//
// Without time limits, where some jobs can be paused, the job collects nodes instead: far less urgent jobs that may
// never be paused do not start there any more.
#pragma once

#include <span>
#include <vector>

#include "policy/core/cluster_state.h"
#include "policy/core/node_runs.h"
#include "policy/triage/urgency.h"

namespace dfrs::triage {

/// Who is this many times as urgent as others collects nodes at their cost.
inline constexpr double kCollects = 100;

class Reservation {
 public:
  /// Forgets the reservation.
  void clear() { shadow_ = kNever; }
  bool made() const { return shadow_ < kNever; }
  /// The instant at which the job can start at the latest if all jobs keep their limits.
  Seconds shadow() const { return shadow_; }
  /// Whose it is, if made().
  JobSlot job() const { return job_; }

  /// By time limits. Reserves memory for a job that may never be paused and does not fit. Jobs that give way without
  /// loss hold none; the others hold theirs until their limits at their present yields. No reservation if the job could
  /// not even start after all others. O(jobs log jobs + nodes + tasks).
  void make(const ClusterView& view, const ClusterState& state, std::span<const Seconds> limit, JobSlot job);

  /// Reserves the nodes where a job that does not fit, even if all others that give way without loss did, comes closest
  /// to fit: those where the others leave most memory. Jobs that may never be paused and are far less urgent start
  /// beside it; jobs that can be paused use its memory meanwhile. None for a job that would fit. O(jobs + nodes log
  /// nodes + tasks).
  void collect(const ClusterView& view, const ClusterState& state, JobSlot job, double urgency);
  /// Whether the job may use no memory of the nodes collected: it may never be paused, and is far less urgent.
  bool keeps_off(const JobView& job, double urgency) const;

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
  void start(const ClusterState& state);
  std::uint32_t room(const ClusterState& state, const JobView& job, NodeIndex n) const;
  void take(const JobView& job, std::span<const NodeIndex> nodes, int tasks);

  Seconds shadow_ = kNever;
  JobSlot job_ = kNoSlot;
  double urgency_ = 0;  // of a job that collects nodes
  std::size_t dims_ = 1;
  std::vector<RigidVector> later_;  // by node: free at the shadow time, without what is reserved
  std::vector<Holder> holders_;
  std::vector<std::uint8_t> released_;  // by node
  std::vector<NodeIndex> emptiest_;     // nodes, those with most memory first
};

}  // namespace dfrs::triage
