// SPDX-License-Identifier: GPL-2.0-or-later
// Schedules in the formats of other tools (docs/reference/timeline.md).
#pragma once

#include <string>

#include "timeline/schedule.h"

namespace dfrs::sim {

// `made`: lines that say by what and how to repeat it, see CampaignOrigin::lines().

/// Batsim's jobs.csv, which Evalys reads: a row per stay of a job on nodes. A job's second stay is called JOB#2. `made`
/// stands in the column metadata of the first row.
std::string evalys_csv(const timeline::Schedule& schedule, const std::string& made);

/// Trace events for Perfetto and chrome://tracing: a process per node, whose threads hold the stays that overlap.
/// `made` stands in otherData.
std::string perfetto_json(const timeline::Schedule& schedule, const std::string& made);

/// A Pajé trace (ViTE, PajeNG): a container per node, whose lanes hold the stays that overlap as states.
/// `made` stands in comments.
std::string paje_trace(const timeline::Schedule& schedule, const std::string& made);

}  // namespace dfrs::sim
