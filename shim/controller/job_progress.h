// SPDX-License-Identifier: GPL-2.0-or-later
// How far a job has come, and what has happened to it.
#pragma once

#include <cstdint>

#include "policy/core/view.h"

namespace dfrs::shim {

/// The virtual clock and the yield that drives it. Written through clock.h.
struct Progress {
  VirtualClock clock;
  Seconds run_base = 0;            ///< the clock's reading when this run began
  double granted_yield = 0;        ///< of the job's quota where it runs; the desired yield, unless the job is leaving
  bool raise_unconfirmed = false;  ///< the clock still runs at a lower yield: the agents have not taken the new one
};

/// Kept across restarts of slurmctld.
struct History {
  Seconds release = 0;      ///< since when the job could have run; 0: not yet
  Seconds first_start = 0;  ///< first start seen; 0: none
  std::uint32_t pauses = 0;
  std::uint32_t moves = 0;
  std::uint32_t lost_runs = 0;
  Seconds lost_work = 0;
};

}  // namespace dfrs::shim
