// SPDX-License-Identifier: GPL-2.0-or-later
// Schedules as one HTML page that needs no network: nodes over time, to zoom and search.
#pragma once

#include <span>
#include <string>

#include "timeline/schedule.h"

namespace dfrs::timeline {

/// `runs` are shown above each other on one time axis. `about`: what was run, for the reader. `made`: lines that say by
/// what and how to repeat it; may be empty. Texts are escaped.
std::string timeline_page(const std::string& title, const std::string& about, std::span<const Schedule> runs,
                          const std::string& made = {});

}  // namespace dfrs::timeline
