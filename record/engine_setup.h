// SPDX-License-Identifier: GPL-2.0-or-later
// What the engine of a record was made of: the first line of its steps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policy/core/algorithm.h"
#include "policy/core/engine_options.h"
#include "policy/core/units.h"

namespace dfrs::record {

/// The newest format, which is written. Those from 1 on are read.
inline constexpr int kRecordFormat = 2;

/// How the host treats jobs that are paused or moved, where it is a simulator that follows rules.
struct HostRules {
  Seconds penalty = 0;              ///< without progress after a resume or a move
  bool keeps_work = true;           ///< false: a pause ends the run, and the job begins again
  Seconds min_progress = 60;        ///< virtual time before a run may be ended, where work is lost
  std::uint32_t max_lost_runs = 3;  ///< that a job may lose

  friend bool operator==(const HostRules&, const HostRules&) = default;
};

struct EngineSetup {
  std::string algorithm;              ///< canonical name
  EngineOptions options;              ///< of all families; no solver
  std::optional<HostRules> host;      ///< nothing: a live host, or a record of format 1
  bool lacks_triage_options = false;  ///< of format 1, which did not store them: `options` has their defaults

  static EngineSetup of(const Algorithm& algorithm, const EngineOptions& options,
                        const std::optional<HostRules>& host = {});
};

/// The first line of an engine's steps, in the newest format. Options are stored by family and name.
std::string header_line(const EngineSetup& setup, std::string_view version);

}  // namespace dfrs::record
