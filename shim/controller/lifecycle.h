// SPDX-License-Identifier: GPL-2.0-or-later
// Turning points of a job: when the policy gets it, when the policy loses it, when a run ends.
#pragma once

#include "shim/conf/config.h"
#include "shim/controller/changes.h"
#include "shim/controller/job_table.h"
#include "shim/controller/saved_state.h"

namespace dfrs::shim {

/// Whether the job must wait for its begin time. The wait that Slurm adds after our requeues does not count.
bool waits_for_begin_time(const Job& job, Seconds now);

/// Whether the policy may have the job now, given Slurm's state and the job's history.
bool available_to_policy(const Job& job, Seconds now);

/// When the job becomes available by the passing of time alone (begin time, back-off); kNever: not.
Seconds available_at(const Job& job);

/// Takes the job from the policy and adds its slot to changes.completed.
void withdraw_from_policy(Job& job, JobTable& jobs, Changes& changes);

/// Records that a run has ended and the job is back in the queue. Its work is lost unless it checkpoints, or was
/// checkpointed.
void end_run(Job& job, const Config& config, Seconds now, Totals& totals);

/// A run that was thought to go on from the progress `run_base` had only `kept`: counts the difference as lost.
void lose_progress(Job& job, Seconds kept, Seconds now, Totals& totals);

/// The present run had this progress at its beginning, which was counted as lost.
void regain_progress(Job& job, Seconds progress, Seconds now, Totals& totals);

}  // namespace dfrs::shim
