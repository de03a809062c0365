// SPDX-License-Identifier: GPL-2.0-or-later
// Delays of the live controller, each with its reason.
#pragma once

#include "policy/core/units.h"

namespace dfrs::shim {

/// After a requeue a job must wait this long before it starts on nodes of its last run. slurmd refuses credentials made
/// in or before the second in which it revoked the last run's (the second of the requeue), and slurmctld then fails the
/// job. Both count whole seconds, and the requeue may fall into the second after its recorded time. A slurmd that was
/// down gets the message later and revokes then, so the next run also waits for the second after the one in which its
/// nodes were seen clean.
inline constexpr Seconds kCredentialWait = 2.0;

/// No event announces the end of a clean-up. While something waits for one, a step runs this often.
inline constexpr Seconds kPoll = 0.2;

/// A run is not suspended while its srun launches a step: Slurm closes the connections of an srun that stands still for
/// MessageTimeout, and the step is lost. Nor would a step that is being launched stop with the others. Slurm tells when
/// a step was created, but neither when its srun began nor when its tasks run. So a run is spared at its start and
/// after each step, for these seconds of progress: an srun with a small share of a core needs longer. slurmstepd waits
/// another kSuspendTakes before it stops anything. A job that hardly progresses, or creates one step after another, is
/// spared no longer than kLaunchPatience.
inline constexpr Seconds kSuspendAfterStart = 3.0;
inline constexpr Seconds kSuspendAfterStep = 4.0;
inline constexpr Seconds kLaunchPatience = 20.0;

/// How long slurmstepd takes to suspend a job (SIGTSTP, 2 s, SIGSTOP), and how long we allow for a resume after that.
/// Requests that wait for a suspend under way are served in any order, so that a job could stay stopped although Slurm
/// resumed it last. So we request no suspend while a resume may be waiting.
inline constexpr Seconds kSuspendTakes = 2.0;
inline constexpr Seconds kResumeTakes = 1.5;

/// While there are jobs, a step runs at least this often, for agents' reports, limits and comments.
inline constexpr Seconds kHousekeeping = 1.0;

/// A start or resume that is busy for this long counts as refused: the snapshot does not show every reason.
inline constexpr Seconds kBusyPatience = 15.0;

/// Back-off of a job that Slurm refuses to start: the first wait, which doubles each time, and the longest. "Blocked"
/// depends on other jobs (licences, limits) and may end soon; "refused" depends on the job itself.
inline constexpr Seconds kBlockedFirst = 2.0;
inline constexpr Seconds kBlockedLast = 60.0;
inline constexpr Seconds kRefusedFirst = 10.0;
inline constexpr Seconds kRefusedLast = 600.0;

/// Checkpoints: an agent that is silent for so long during an attempt has failed; so has one that takes so long to stop
/// a job.
inline constexpr Seconds kAgentPatience = 5.0;
inline constexpr Seconds kFreezeTimeout = 10.0;
/// After a start, an agent's report is one of the new run after this.
inline constexpr Seconds kReportsAreNew = 8.0;
/// An agent that was told to resume a job and does not mention it for this long holds nothing of the job.
inline constexpr Seconds kSilencePatience = 30.0;
/// Waits after failed attempts, which double.
inline constexpr Seconds kCheckpointAgainFirst = 60.0;
inline constexpr Seconds kCheckpointAgainLast = 3600.0;

/// A refused change of a job's end time is retried after this.
inline constexpr Seconds kEndTimeRetry = 60.0;

/// The state is written at most this often, except before a requeue, which must not be forgotten.
inline constexpr Seconds kStateInterval = 1.0;

/// The agents' reports of swap are read at most this often.
inline constexpr Seconds kReportInterval = 1.0;
/// Those of nodes without jobs of ours, at most this often.
inline constexpr Seconds kIdleReportInterval = 10.0;

}  // namespace dfrs::shim
