// SPDX-License-Identifier: GPL-2.0-or-later
// How an engine in a record was configured: the header line before its steps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policy/core/algorithm.h"
#include "policy/core/engine_options.h"
#include "policy/core/units.h"
#include "record/pause_world.h"
#include "record/swap_size.h"

namespace dfrs::record {

/// The newest format, the one that is written. Formats 1 to this one can be read.
inline constexpr int kRecordFormat = 2;

/// How a simulator treats jobs that are paused or moved.
struct HostRules {
  Seconds penalty = 0;              ///< time without progress after a resume or a move, >= 0
  double swap_rate = 0;             ///< MiB/s; above 0: that time is twice the job's memory over this rate
  Seconds restart = 0;              ///< and this on top, >= 0
  PauseWorld pauses;                ///< what a pause does to jobs
  Seconds min_progress = 60;        ///< virtual time that a run needs before a requeue may end it, >= 0
  std::uint32_t max_lost_runs = 3;  ///< runs that a job may lose
  SwapSize swap = {};               ///< of each node, for suspended jobs
  bool requeue_kept = false;        ///< min_progress holds for jobs that keep their work, too

  friend bool operator==(const HostRules&, const HostRules&) = default;
};

struct EngineSetup {
  std::string algorithm;              ///< canonical name
  EngineOptions options;              ///< of all families
  std::optional<HostRules> host;      ///< nullopt: a live host, or a record of format 1
  bool lacks_triage_options = false;  ///< a record of format 1, which has none: `options` holds defaults

  static EngineSetup of(const Algorithm& algorithm, const EngineOptions& options,
                        const std::optional<HostRules>& host = {});
};

/// The header line before an engine's steps, in the newest format. Options are stored by family and name.
std::string header_line(const EngineSetup& setup, std::string_view version);

}  // namespace dfrs::record
