// SPDX-License-Identifier: GPL-2.0-or-later
// How the controller names things in stories of jobs.
#pragma once

#include "record/story/words.h"
#include "shim/controller/nodes.h"

namespace dfrs::shim {

/// Nodes by name, instants in local time. O(nodes).
record::StoryNames story_names(const Nodes& nodes);

/// "2026-11-20 09:30:00", in local time; any other number in seconds.
std::string local_time(Seconds time);

/// Local time less UTC then, in seconds; 0 for what is no instant.
int utc_offset(Seconds time);

}  // namespace dfrs::shim
