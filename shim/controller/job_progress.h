// SPDX-License-Identifier: GPL-2.0-or-later
// A job's progress and history.
#pragma once

#include <cstdint>

#include "policy/core/view.h"

namespace dfrs::shim {

/// The virtual clock and the yield that drives it. Written through clock.h.
struct Progress {
  VirtualClock clock;
  Seconds run_base = 0;            ///< the clock's reading when this run began
  double granted_yield = 0;        ///< of its quota; the desired yield, unless the job is leaving its nodes
  bool raise_unconfirmed = false;  ///< the clock runs at the former, lower yield: the agents have not applied this one
};

/// Kept across restarts of slurmctld.
struct History {
  Seconds release = 0;      ///< the time from which the job could run; 0: not yet
  Seconds first_start = 0;  ///< first start seen; 0: none
  std::uint32_t pauses = 0;
  std::uint32_t moves = 0;
  std::uint32_t lost_runs = 0;
  Seconds lost_work = 0;
  Seconds longest_run = 0;  ///< virtual time of the longest run that was lost
};

}  // namespace dfrs::shim
