// SPDX-License-Identifier: GPL-2.0-or-later
// Schedules in the formats of other tools (docs/reference/timeline.md).
#pragma once

#include <string>

#include "timeline/schedule.h"

namespace dfrs::sim {

/// Batsim's jobs.csv, which Evalys reads: a row per stay of a job on nodes. A job's second stay is called JOB#2.
std::string evalys_csv(const timeline::Schedule& schedule);

/// Trace events for Perfetto and chrome://tracing: a process per node, whose threads hold the stays that overlap.
std::string perfetto_json(const timeline::Schedule& schedule);

/// A Pajé trace (ViTE, PajeNG): a container per node, whose lanes hold the stays that overlap as states.
std::string paje_trace(const timeline::Schedule& schedule);

}  // namespace dfrs::sim
