// SPDX-License-Identifier: GPL-2.0-or-later
// Lists of jobs in submission order.
#pragma once

#include <cstddef>
#include <vector>

#include "policy/core/cluster_state.h"

namespace dfrs {

/// Inserts a job into a list that is in submission order. O(jobs behind it): recent jobs belong near the end.
inline void insert_by_submission(std::vector<JobSlot>& jobs, JobSlot job, const ClusterState& state) {
  std::size_t at = jobs.size();
  while (at > 0 && state.order(jobs[at - 1]) > state.order(job)) --at;
  jobs.insert(jobs.begin() + static_cast<std::ptrdiff_t>(at), job);
}

}  // namespace dfrs
