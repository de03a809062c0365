// SPDX-License-Identifier: GPL-2.0-or-later
// What happened to jobs, in words, for the page of a timeline.
#pragma once

#include <string>
#include <vector>

#include "record/story/story.h"
#include "record/story/words.h"
#include "timeline/schedule.h"

namespace dfrs::sim {

/// Nodes by their numbers; times in seconds, or in UTC where they count from 1970.
record::StoryNames plain_names();

/// Events that are kept of a job; of longer stories the oldest go.
inline constexpr std::size_t kMostTold = 60;

/// Schedule::told, of the stories of the jobs of this schedule: what they waited for, and why they were started,
/// paused, resumed and moved. O(jobs + events).
std::vector<std::string> told_of(const record::Stories& stories, const timeline::Schedule& schedule);

}  // namespace dfrs::sim
