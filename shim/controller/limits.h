// SPDX-License-Identifier: GPL-2.0-or-later
// Time limits in virtual time: a limit counts the virtual time of the job's current run. A job at yield 0.25 thus has
// four times as long, and the clock of a paused job stands still. Slurm enforces the limit, at the end time that we
// set.
//
//   end = now + (limit - virtual time of this run) / yield + kLimitSlack
//
// Slurm checks limits every 30 s: a job that has used up its limit ends some seconds later, never earlier.
#pragma once

#include <cstdint>
#include <optional>

#include "policy/core/units.h"

namespace dfrs::shim {

/// Slurm counts whole seconds, and the quota of a new yield takes effect a little later than the clock shows.
inline constexpr Seconds kLimitSlack = 3.0;

struct LimitState {
  std::uint32_t limit_minutes = UINT32_MAX;  ///< UINT32_MAX: none
  Seconds used = 0;                          ///< virtual time of this run, >= 0
  double yield = 0;                          ///< 0 .. 1; at 0 its end is unknown
  std::int64_t end_time = 0;                 ///< s since the epoch, as Slurm has it; 0: none
};

/// The end time to set (s since the epoch), if Slurm's differs by more than a twentieth of the time left, within bounds
/// of 1 s and 5 min; else nothing. Smaller differences are corrected later: the tolerance shrinks as the end
/// approaches. Nothing without a limit or at yield 0.
std::optional<std::int64_t> wanted_end_time(const LimitState& state, Seconds now);

}  // namespace dfrs::shim
