// SPDX-License-Identifier: GPL-2.0-or-later
// Lanes for jobs that may never be paused, where run times are known: the longer a job runs, the fewer nodes it may
// use, so that some memory is always free again soon for short ones. A part of the yardstick (clairvoyant.h).
#pragma once

#include "policy/triage/decision_context.h"

namespace dfrs::triage {

/// Jobs of up to kLaneFrom seconds may use all nodes, jobs of kLaneTo and more all but a part kLanePart of them.
inline constexpr Seconds kLaneFrom = 600;
inline constexpr Seconds kLaneTo = 43200;
inline constexpr double kLanePart = 0.4;

/// The job may use nodes below this index: all of them, unless its run time is known and it may never be paused. A lane
/// has at least as many nodes as the job needs when they are empty. O(1), or O(nodes) for a job that has a lane.
NodeIndex lane_end(const DecisionContext& context, JobSlot slot);

}  // namespace dfrs::triage
