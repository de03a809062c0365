// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/mcb8/priority.h"

#include <algorithm>

namespace dfrs {

double priority(const JobView& job, Seconds now, const PriorityRule& rule) {
  const Seconds vt = job.virtual_time(now);
  if (vt <= 0) return kNever;
  return std::max(job.flow_time(now), rule.flow_floor) / (vt * vt);
}

RankedJob rank(JobSlot job, const ClusterView& view, const ClusterState& state, const PriorityRule& rule) {
  return {priority(view.jobs[job], view.now, rule), state.order(job), job};
}

}  // namespace dfrs
