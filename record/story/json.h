// SPDX-License-Identifier: GPL-2.0-or-later
// Stories as JSON, the same for `dfrs-sim run --explain --json` and `dfrsctl explain --json`.
#pragma once

#include <nlohmann/json.hpp>

#include "record/story/words.h"

namespace dfrs::record {

/// A list of events: {"t", "until"?, "event", "reason"?, "other"?, "value"?, "limit"?, "newest"?, "nodes"?, "yield"?,
/// "text"}.
nlohmann::ordered_json story_json(JobId job, const Story& story, const StoryNames& names);

/// {"since", "ended", "waited", "ran", "paused", "pauses", "moves", "text"}, in seconds.
nlohmann::ordered_json totals_json(JobId job, const Totals& totals, const StoryNames& names);

}  // namespace dfrs::record
