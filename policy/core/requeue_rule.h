// SPDX-License-Identifier: GPL-2.0-or-later
// Which runs a requeue may end, so that every job makes progress and completes. All hosts follow these rules.
#pragma once

#include <cstdint>

#include "policy/core/units.h"

namespace dfrs {

/// Whether a run has gained the virtual time before which it is not ended (MinProgress), whether or not its job keeps
/// the work.
inline bool may_end_run(Seconds gained, Seconds min_progress) { return !(gained < min_progress); }

/// Whether a job that starts over may lose another run (MaxLostRuns).
inline bool may_lose_a_run(std::uint32_t lost_runs, std::uint32_t max_lost_runs) { return lost_runs < max_lost_runs; }

/// A job that found none to pause is offered to the policy again when a run may be ended that was too young: the least
/// time between two offers, and how many follow the first.
inline constexpr Seconds kOfferAgain = 0.5;
inline constexpr std::uint32_t kOffersAgain = 3;

}  // namespace dfrs
