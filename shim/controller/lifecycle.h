// SPDX-License-Identifier: GPL-2.0-or-later
// Turning points of a job: when the policy may have it, when the policy loses it, when a run of it ends.
#pragma once

#include "shim/conf/config.h"
#include "shim/controller/changes.h"
#include "shim/controller/job_table.h"
#include "shim/controller/saved_state.h"

namespace dfrs::shim {

/// Whether the job's begin time holds it back. The wait that Slurm adds after a requeue of ours does not.
bool waits_for_begin_time(const Job& job, Seconds now);

/// Whether the policy may have the job now, by Slurm's state and the job's own history.
bool available_to_policy(const Job& job, Seconds now);

/// When time alone (begin time, back-off) may make it available; kNever: time alone does not.
Seconds available_at(const Job& job);

/// Takes the job from the policy; its slot is then among changes.completed.
void withdraw_from_policy(Job& job, JobTable& jobs, Changes& changes);

/// A run has ended with the job back in the queue. Its work is lost unless it checkpoints.
void end_run(Job& job, const Config& config, Seconds now, Totals& totals);

}  // namespace dfrs::shim
