// SPDX-License-Identifier: GPL-2.0-or-later
// Time limits in virtual time: a job's limit counts the virtual time of its current run, so that a job at yield 0.25
// has four times as long, and a paused one's clock stands still. Slurm goes on enforcing the limit, at the time that we
// give it.
//
//   end = now + (limit - virtual time of this run) / yield + kLimitSlack
//
// A job that has used its limit up is thus ended by Slurm some seconds later (it looks every 30 s), never earlier.
#pragma once

#include <cstdint>
#include <optional>

#include "policy/core/units.h"

namespace dfrs::shim {

/// Slurm counts whole seconds, and the quota of a new yield takes effect a little later than its clock.
inline constexpr Seconds kLimitSlack = 3.0;

struct LimitState {
  std::uint32_t limit_minutes = UINT32_MAX;  ///< UINT32_MAX: none
  Seconds used = 0;                          ///< virtual time of this run, >= 0
  double yield = 0;                          ///< 0 .. 1; 0: the job gets nothing, and has no end that we know
  std::int64_t end_time = 0;                 ///< s since the epoch, Slurm's present idea; 0: none
};

/// When Slurm should end the job (s since the epoch), if its present idea is too far off to be left: earlier by more
/// than a second, or off by more than a twentieth of what is left (5 min at most). What is left for later is asked
/// again in time, since a twentieth shrinks as the end comes nearer. Nothing without a limit or without a yield.
std::optional<std::int64_t> wanted_end_time(const LimitState& state, Seconds now);

}  // namespace dfrs::shim
