// SPDX-License-Identifier: GPL-2.0-or-later
// Job priority: flow time / (virtual time)^2 (RR-7659, section 4.1).
#pragma once

#include <span>
#include <vector>

#include "policy/core/cluster_state.h"

namespace dfrs {

struct PriorityRule {
  /// Flow times count as at least this many seconds: 0 in RR-7659, 30 in IPDPS 2010 (section III.A).
  Seconds flow_floor = 0;
};

/// The priority in 1 / s; infinite for a job without progress.
double priority(const JobView& job, Seconds now, const PriorityRule& rule);

/// A job with its priority at one instant. `higher` is a strict total order: among equal priorities, the earlier
/// submission is higher.
struct RankedJob {
  double priority = 0;
  std::uint64_t order = 0;
  JobSlot job = kNoSlot;

  static bool higher(const RankedJob& a, const RankedJob& b) {
    return a.priority != b.priority ? a.priority > b.priority : a.order < b.order;
  }
};

RankedJob rank(JobSlot job, const ClusterView& view, const ClusterState& state, const PriorityRule& rule);

}  // namespace dfrs
