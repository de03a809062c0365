// SPDX-License-Identifier: GPL-2.0-or-later
// What a job finds around it once the decisions of an instant are carried out.
#pragma once

#include "record/story/story.h"

namespace dfrs::record {

/// The room for a job that waits. O(jobs + nodes + tasks).
Room room_for(const ClusterView& view, const Decisions& decisions, const JobView& job);

/// The most loaded of the job's nodes, relative to capacity; the first of several. O(jobs + nodes + tasks).
Crowd crowd_of(const ClusterView& view, const Decisions& decisions, JobSlot job);

}  // namespace dfrs::record
