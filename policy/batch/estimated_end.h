// SPDX-License-Identifier: GPL-2.0-or-later
// When running jobs end by their users' estimates.
#pragma once

#include <algorithm>

#include "policy/core/view.h"

namespace dfrs {

/// The instant at which a running job ends by its estimate, at the earliest now. A view does not show when the job
/// started, but at yield 1 its progress says the same.
inline Seconds estimated_end(const ClusterView& view, const Estimates& estimates, JobSlot job) {
  return view.now + std::max(0.0, estimates.run_time[job] - view.jobs[job].virtual_time(view.now));
}

}  // namespace dfrs
