// SPDX-License-Identifier: GPL-2.0-or-later
// Delays of the live controller, each with its reason.
#pragma once

#include "policy/core/units.h"

namespace dfrs::shim {

/// After a requeue a job is not started on nodes of its last run before this has passed. slurmd refuses a credential
/// made in or before the second in which that run's was revoked (the second of the requeue), and slurmctld then fails
/// the job; both count whole seconds, and the operation may fall into the second after its answer was timed. A slurmd
/// that was away gets the message again and revokes as of then: the next run also waits for the second after the one in
/// which the nodes were seen clean.
inline constexpr Seconds kCredentialWait = 2.0;

/// No event announces the end of a clean-up. While something waits for one, we look this often.
inline constexpr Seconds kPoll = 0.2;

/// A run is not suspended in its first seconds. This is where it launches its steps, and one that is being launched is
/// not stopped with the others; a requeue then waits for it, for minutes.
inline constexpr Seconds kSuspendAfterStart = 2.0;

/// A job that could not be placed because others had run too briefly to be paused is offered to the policy again when
/// they become pausable: no sooner than this after the last offer, and at most so many times.
inline constexpr Seconds kOfferAgain = 0.5;
inline constexpr std::uint32_t kOffersAgain = 3;

/// How long slurmstepd takes to suspend a job (SIGTSTP, 2 s, SIGSTOP), and how long we let a resume take after that.
/// Of two requests that wait for a suspend that is under way either may be served first, so that a job might be left
/// stopped although Slurm has resumed it last: no suspend is asked for while a resume may be waiting.
inline constexpr Seconds kSuspendTakes = 2.0;
inline constexpr Seconds kResumeTakes = 1.5;

/// While there are jobs, a step runs at least this often, for reports of agents, limits and comments.
inline constexpr Seconds kHousekeeping = 1.0;

/// A start or resume that Slurm calls busy for this long counts as refused: the snapshot does not show everything.
inline constexpr Seconds kBusyPatience = 15.0;

/// Back-off of a job that Slurm would not start: first wait, doubled each time, up to the last. "Blocked" is a matter
/// of other jobs (licences, limits) and may end soon; "refused" is a matter of the job itself.
inline constexpr Seconds kBlockedFirst = 2.0;
inline constexpr Seconds kBlockedLast = 60.0;
inline constexpr Seconds kRefusedFirst = 10.0;
inline constexpr Seconds kRefusedLast = 600.0;

/// A refused change of a job's end time is tried again after this.
inline constexpr Seconds kEndTimeRetry = 60.0;

/// The state is written at most this often, but for what must not be forgotten (a requeue that is being asked for).
inline constexpr Seconds kStateInterval = 1.0;

/// The agents' reports of swap are read at most this often.
inline constexpr Seconds kReportInterval = 1.0;

}  // namespace dfrs::shim
